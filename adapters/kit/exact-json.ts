import { type Either, left, right } from 'fp-ts/lib/Either.js';

/** A JSON object: its parsed values, and the text of each member exactly as written except for white space. */
export interface JsonObject {
  readonly values: Readonly<Record<string, unknown>>;
  /** In their order; the text of a member is such as `"name":1.0`. */
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

export const unquote = (quoted: string): string =>
  quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);

/**
 * Scans the text of a JSON object once for what `JSON.parse` accepts or loses without an error: repeated names,
 * `__proto__`, lossy numbers, excessive nesting (RFC 8259, sections 4 and 6; RFC 7493). It assumes valid syntax, because
 * `JSON.parse` rejects everything else afterwards.
 */
class Scanner {
  readonly members: { readonly name: string; readonly text: string }[] = [];
  private at = 0;
  /** The names in each open object, outermost first; null for a list. */
  private readonly open: (Set<string> | null)[] = [];
  private expectsName = false;
  /** The name of the current member of the outermost object. */
  private member: string | undefined;
  /** Its text without white space, up to `copiedTo`. */
  private compact = '';
  private copiedTo = 0;

  constructor(private readonly text: string) {}

  /** Returns the first error, if any. Throws a SyntaxError if a name has an invalid escape. */
  scan(): string | undefined {
    let error: string | undefined;
    while (error === undefined && this.at < this.text.length) error = this.step();
    return error;
  }

  private step(): string | undefined {
    const character = this.text[this.at];
    switch (character) {
      case '"':
        return this.string();
      case '{':
      case '[':
        return this.enter(character === '{');
      case '}':
      case ']':
        this.endMember();
        this.open.pop();
        this.at++;
        return undefined;
      case ',':
        this.endMember();
        this.expectsName = this.open.at(-1) !== null;
        this.at++;
        return undefined;
      case ':':
        this.at++;
        return undefined;
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        this.compact += this.text.slice(this.copiedTo, this.at);
        this.copiedTo = ++this.at;
        return undefined;
      default:
        return this.scalar();
    }
  }

  private enter(isObject: boolean): string | undefined {
    this.expectsName = isObject;
    this.at++;
    return this.open.push(isObject ? new Set() : null) > maxDepth
      ? `must not be nested deeper than ${maxDepth} levels`
      : undefined;
  }

  private string(): string | undefined {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    this.at = end === -1 ? this.text.length : end + 1;
    if (!this.expectsName || end === -1) return undefined;
    this.expectsName = false;
    return this.name(start);
  }

  private isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.text[quote - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  private name(start: number): string | undefined {
    const name = unquote(this.text.slice(start, this.at));
    if (name === '__proto__') return 'must not have a member named __proto__';
    const names = this.open.at(-1);
    if (names?.has(name)) return 'must not have two members of the same name in one object';
    names?.add(name);
    if (this.open.length === 1) {
      this.member = name;
      this.compact = '';
      this.copiedTo = start;
    }
    return undefined;
  }

  private endMember(): void {
    if (this.open.length !== 1 || this.member === undefined) return;
    this.members.push({ name: this.member, text: this.compact + this.text.slice(this.copiedTo, this.at) });
    this.member = undefined;
  }

  private scalar(): string | undefined {
    number.lastIndex = this.at;
    if (!number.test(this.text)) {
      this.at++;
      return undefined;
    }
    const digits = this.text.slice(this.at, number.lastIndex);
    this.at = number.lastIndex;
    return isLossy(digits)
      ? 'must not have integers beyond ±9007199254740991 or numbers that overflow a double'
      : undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the text of a JSON object that can be kept exactly. Left: the error, which contains no part of the text. */
export const readJsonObject = (text: string): Either<string, JsonObject> => {
  const scanner = new Scanner(text);
  try {
    // Before JSON.parse, because deep nesting overflows its stack.
    const error = scanner.scan();
    if (error !== undefined) return left(error);
    const values: unknown = JSON.parse(text);
    return isObject(values) ? right({ values, members: scanner.members }) : left('must be a JSON object');
  } catch {
    return left('must be valid JSON');
  }
};
