import { type Either, left, right } from 'fp-ts/lib/Either.js';

/** One member of a JSON object: its name as text and as it was quoted, and the compact text of its value. */
export interface JsonMember {
  readonly name: string;
  readonly quotedName: string;
  readonly text: string;
}

/** A JSON object as it was sent: what its values are, and the compact text of each of its members. */
export interface JsonObject {
  readonly values: Readonly<Record<string, unknown>>;
  readonly members: readonly JsonMember[];
}

/** How deep objects and lists may nest; the outermost object is level 1. */
const deepest = 32;

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Why a number can't be kept: it is not finite as a double, or it is an integer that a double can't tell from its neighbours. */
const isLossy = (digits: string): boolean => {
  const value = Number(digits);
  return !Number.isSafeInteger(value) && (!Number.isFinite(value) || /^-?\d+$/.test(digits));
};

/**
 * One pass over the text of a JSON object that finds what `JSON.parse` silently accepts or loses (RFC 8259, section 4
 * and 6; RFC 7493): repeated names, `__proto__`, lossy numbers, endless nesting. It takes correct syntax for granted;
 * what it makes of anything else is of no account, because `JSON.parse` then refuses the text.
 */
class Scanner {
  readonly members: JsonMember[] = [];
  private at = 0;
  private depth = 0;
  /** The names seen in each object that is open, outermost first; null for a list. */
  private readonly open: (Set<string> | null)[] = [];
  private nameNext = false;
  private topName: { readonly name: string; readonly quotedName: string } | undefined;
  /** The value of the member at hand without insignificant white space, up to `copied`. */
  private compact = '';
  private copied = 0;

  constructor(private readonly text: string) {}

  /** The first thing that is wrong, or undefined. */
  scan(): string | undefined {
    while (this.at < this.text.length) {
      const wrong = this.step();
      if (wrong !== undefined) return wrong;
    }
    return undefined;
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
        if (this.depth === 1) this.endMember();
        this.open.pop();
        this.depth--;
        this.at++;
        return undefined;
      case ',':
        if (this.depth === 1) this.endMember();
        this.nameNext = this.open.at(-1) !== null;
        this.at++;
        return undefined;
      case ':':
        this.at++;
        if (this.depth === 1) {
          this.compact = '';
          this.copied = this.at;
        }
        return undefined;
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        this.compact += this.text.slice(this.copied, this.at);
        this.copied = ++this.at;
        return undefined;
      default:
        return this.scalar();
    }
  }

  private enter(isObject: boolean): string | undefined {
    this.open.push(isObject ? new Set() : null);
    this.nameNext = isObject;
    this.at++;
    return ++this.depth > deepest ? `must not be nested deeper than ${deepest} levels` : undefined;
  }

  private string(): string | undefined {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    this.at = end === -1 ? this.text.length : end + 1;
    if (!this.nameNext || end === -1) return undefined;
    this.nameNext = false;
    return this.name(this.text.slice(start, end + 1));
  }

  private isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.text[quote - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  private name(quotedName: string): string | undefined {
    const name = quotedName.includes('\\') ? unquoted(quotedName) : quotedName.slice(1, -1);
    if (name === undefined) return undefined;
    if (name === '__proto__') return 'must not have a member named __proto__';
    const seen = this.open.at(-1);
    if (seen?.has(name)) return 'must not have two members of the same name in one object';
    seen?.add(name);
    if (this.depth === 1) this.topName = { name, quotedName };
    return undefined;
  }

  private endMember(): void {
    if (this.topName !== undefined) {
      const { name, quotedName } = this.topName;
      this.members.push({ name, quotedName, text: this.compact + this.text.slice(this.copied, this.at) });
    }
    this.topName = undefined;
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

const unquoted = (quotedName: string): string | undefined => {
  try {
    return String(JSON.parse(quotedName));
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the text of a JSON object; Left says what is wrong with it, without repeating any of it. */
export const readJsonObject = (text: string): Either<string, JsonObject> => {
  const scanner = new Scanner(text);
  // Before JSON.parse, because a text of brackets only would take its stack.
  const wrong = scanner.scan();
  if (wrong !== undefined) return left(wrong);
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return left('must be valid JSON');
  }
  return isObject(values) ? right({ values, members: scanner.members }) : left('must be a JSON object');
};
