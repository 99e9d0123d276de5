/** The other case of a letter. Characters without one, or whose other case has several characters, stay as they are. */
const toggleCase = (character: string): string => {
  const upper = character.toUpperCase();
  const other = upper === character ? character.toLowerCase() : upper;
  return [...other].length === 1 ? other : character;
};

/** The length of the longest text that a header carries. Candidates for 1 MiB would take more than a second. */
const maxTypedLength = 16 * 1024;

/**
 * Passwords that the user may have meant (docs/configuration.md, `allowCommonMistakes`): with the first letter in
 * the other case, with caps lock undone, without the first character, without the last one. At most four distinct
 * candidates, and none for a text of more than 16 Ki characters; the supplied password and the empty one are never
 * among them.
 */
export const typoCandidates = (supplied: string): readonly string[] => {
  if (supplied.length > maxTypedLength) return [];
  const characters = [...supplied];
  const [first = '', ...others] = characters;
  const candidates = new Set([
    toggleCase(first) + others.join(''),
    characters.map(toggleCase).join(''),
    others.join(''),
    characters.slice(0, -1).join(''),
  ]);
  candidates.delete(supplied);
  candidates.delete('');
  return [...candidates];
};
