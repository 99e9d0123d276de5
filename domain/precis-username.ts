// What PRECIS (RFC 8264) makes of user names. There is no maintained library for Node.js, and the engine knows the
// properties of Unicode that it needs.

// RFC 8264, sections 9.1 to 9.13, as far as the class IdentifierClass needs them. Joiners, which no one sees, are refused also
// where section 9.8 would allow them.
const ascii = /^[!-~]$/;
// Patterns with tables of Unicode are inside functions, because V8 takes milliseconds for them.
const isLetterOrDigit = (character: string): boolean =>
  /^[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]$/u.test(character);
const isIgnorable = (character: string): boolean =>
  /^[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]$/u.test(character);
const oldHangulJamo = /^[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7c6\ud7cb-\ud7fb]$/;
// RFC 5892, section 2.6.
const allowedException = /^[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007\u00b7\u0375\u05f3\u05f4\u30fb]$/;
const refusedException = /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]$/;

const isIdentifierCharacter = (character: string): boolean => {
  if (allowedException.test(character)) return true;
  if (refusedException.test(character)) return false;
  if (ascii.test(character)) return true;
  if (oldHangulJamo.test(character) || isIgnorable(character)) return false;
  return character.normalize('NFKC') === character && isLetterOrDigit(character);
};

// RFC 5892, appendix A: a middle dot only between two l, the Greek numeral sign only before a Greek letter, a geresh only
// after a Hebrew one, a Katakana middle dot only next to Japanese, and not both kinds of Arabic digits.
const outOfContext = (): readonly RegExp[] => [
  /(?<!l)\u00b7|\u00b7(?!l)/,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
];
const hasJapanese = (text: string): boolean => /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text);
const hasBoth = (text: string, one: RegExp, other: RegExp): boolean => one.test(text) && other.test(text);
const isInContext = (text: string): boolean =>
  !outOfContext().some((wrong) => wrong.test(text)) &&
  (!text.includes('\u30fb') || hasJapanese(text)) &&
  !hasBoth(text, /[\u0660-\u0669]/, /[\u06f0-\u06f9]/);

// The bidirectional classes, as far as the rule tells them apart. The blocks from right to left are those for which
// DerivedBidiClass.txt has R or AL as the default.
const bidiClasses = (): readonly (readonly [name: string, pattern: RegExp])[] => [
  ['N', /\p{Mn}/u],
  ['A', /[\u0660-\u0669\u{10d30}-\u{10d39}]/u],
  ['E', /[0-9\u06f0-\u06f9]/],
  ['R', /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u],
  ['L', /[\p{L}\p{Mc}\p{Nd}\u0f0b\u3007]/u],
];
const bidiClassesOf = (text: string): string => {
  const classes = bidiClasses();
  return Array.from(text, (character) => classes.find(([, pattern]) => pattern.test(character))?.[0] ?? 'O').join('');
};

/** The Bidi Rule (RFC 5893, section 2). It concerns only texts with characters that are written from right to left. */
const keepsBidiRule = (text: string): boolean => {
  const classes = bidiClassesOf(text);
  if (!/[RA]/.test(classes)) return true;
  return /^R[RAEON]*$/.test(classes) && /[RAE]N*$/.test(classes) && !hasBoth(classes, /A/, /E/);
};

// Halfwidth and fullwidth forms, for which the compatibility decomposition is that of the width.
const otherWidth = /[\uff01-\uffee]/g;

/**
 * The form in which user names are compared: the profile UsernameCaseMapped (RFC 8265, section 3.3) of one part, without
 * spaces. Undefined for a text that is no user name.
 */
export const usernameOf = (text: string): string | undefined => {
  const mapped = text.replaceAll(otherWidth, (character) => character.normalize('NFKC'));
  const username = mapped.toLowerCase().normalize('NFC');
  const isAllowed =
    username !== '' &&
    [...mapped, ...username].every(isIdentifierCharacter) &&
    isInContext(username) &&
    keepsBidiRule(username);
  return isAllowed ? username : undefined;
};
