import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';

/** A JSON object: its parsed values, and the text of each member exactly as written except for white space. */
export interface JsonObject {
  readonly values: Readonly<Record<string, unknown>>;
  /** In the order of the text. The text of a member is, for example, `"name":1.0`. */
  readonly members: readonly { readonly name: string; readonly text: string }[];
}

/** The maximum nesting of objects and lists, counting the outermost object. */
const maxDepth = 32;

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Whether a double can't keep a number: it overflows, or it is an integer that shares its double with others. */
const isLossy = (digits: string): boolean => {
  const value = Number(digits);
  return !Number.isSafeInteger(value) && (!Number.isFinite(value) || /^-?\d+$/.test(digits));
};

/** The value of a JSON string that still has its quotes. Throws a SyntaxError if it has an invalid escape. */
export const unquote = (quoted: string): string =>
  quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);

/** The position after the string that starts at `start`; the end of the text if the string is not closed. */
export const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
};

/** Why a text cannot be kept, and the position at which that shows. */
interface Loss {
  readonly error: string;
  readonly at: number;
}

/**
 * Scans the text of a JSON object once for what `JSON.parse` accepts or loses without an error: repeated names,
 * `__proto__`, lossy numbers, excessive nesting (RFC 8259, sections 4 and 6; RFC 7493). It assumes valid syntax, because
 * `JSON.parse` rejects everything else afterwards. Throws a SyntaxError if a name has an invalid escape.
 */
const scan = (text: string): Either<Loss, JsonObject['members']> => {
  const members: { readonly name: string; readonly text: string }[] = [];
  /** The names in each open object, outermost first; null for a list. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  /** The name of the current member of the outermost object, and its text without white space up to `copiedTo`. */
  let member: string | undefined;
  let compact = '';
  let copiedTo = 0;
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + 1;
    const character = text[at];
    switch (character) {
      case '{':
      case '[':
        expectsName = character === '{';
        if (open.push(expectsName ? new Set() : null) > maxDepth)
          return left({ error: `must not be nested deeper than ${maxDepth} levels`, at });
        break;
      case '}':
      case ']':
      case ',':
        if (open.length === 1 && member !== undefined) {
          members.push({ name: member, text: compact + text.slice(copiedTo, at) });
          member = undefined;
        }
        if (character === ',') expectsName = open.at(-1) !== null;
        else open.pop();
        break;
      case '"': {
        end = endOfString(text, at);
        if (!expectsName || end === text.length) break;
        expectsName = false;
        const name = unquote(text.slice(at, end));
        const names = open.at(-1);
        if (name === '__proto__') return left({ error: 'must not have a member named __proto__', at });
        if (names?.has(name)) return left({ error: 'must not have two members of the same name in one object', at });
        names?.add(name);
        if (open.length > 1) break;
        member = name;
        compact = '';
        copiedTo = at;
        break;
      }
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        compact += text.slice(copiedTo, at);
        copiedTo = end;
        break;
      default:
        number.lastIndex = at;
        if (!number.test(text)) break;
        end = number.lastIndex;
        if (isLossy(text.slice(at, end)))
          return left({
            error: 'must not have integers beyond ±9007199254740991 or numbers that overflow a double',
            at,
          });
    }
  }
  return right(members);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the text of a JSON object that can be kept exactly. Left: the error, which contains no part of the text. */
export const readJsonObject = (text: string): Either<string, JsonObject> => {
  try {
    // Before JSON.parse, because deep nesting overflows its stack.
    const members = scan(text);
    if (isLeft(members)) return left(members.left.error);
    const values: unknown = JSON.parse(text);
    return isObject(values) ? right({ values, members: members.right }) : left('must be a JSON object');
  } catch {
    return left('must be valid JSON');
  }
};

/**
 * The position at which `JSON.parse` would lose something that `readJsonObject` refuses; that of the end if it loses
 * nothing.
 */
export const lossIn = (text: string): number => {
  const members = scan(text);
  return isLeft(members) ? members.left.at : text.trimEnd().length;
};

/** The text of each member by its name. Empty for a text that the service would refuse, which another program has written. */
const textsOf = (json: string): ReadonlyMap<string, string> => {
  const object = readJsonObject(json);
  return new Map(isLeft(object) ? [] : object.right.members.map(({ name, text }) => [name, text]));
};

/**
 * The names of the members that were added, removed or written differently, such as 1.0 instead of 1. Their order does not
 * count.
 */
export const changedMembers = (previous: string, next: string): readonly string[] => {
  if (previous === next) return [];
  const before = textsOf(previous);
  const after = textsOf(next);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
};
