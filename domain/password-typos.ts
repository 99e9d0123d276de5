/** The other case of a letter; anything else, and a letter whose other case is several characters, stays. */
const toggled = (character: string): string => {
  const upper = character.toUpperCase();
  const other = upper === character ? character.toLowerCase() : upper;
  return [...other].length === 1 ? other : character;
};

/**
 * What the user may have meant with a mistyped password (specification, section 1, `allowCommonMistakes`):
 * without a character put in front or behind, with the case of the first letter mended, with caps lock undone.
 * At most four distinct candidates, without the password itself and without the empty one.
 */
export const intendedPasswords = (supplied: string): readonly string[] => {
  const characters = [...supplied];
  const [first = '', ...others] = characters;
  const candidates = new Set([
    toggled(first) + others.join(''),
    characters.map(toggled).join(''),
    others.join(''),
    characters.slice(0, -1).join(''),
  ]);
  candidates.delete(supplied);
  candidates.delete('');
  return [...candidates];
};
