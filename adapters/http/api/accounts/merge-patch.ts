import type { CustomProperties } from '../../../../domain/user.ts';
import { unquote } from '../../../kit/exact-json.ts';
import { asProperties } from '../../../kit/user-json/user-writer.ts';

/** A JSON value: its exact text, and the members of an object in their order. */
interface JsonValue {
  readonly text: string;
  readonly members?: ReadonlyMap<string, JsonMember>;
}

interface JsonMember {
  /** The name with its quotes and escapes. */
  readonly quotedName: string;
  readonly value: JsonValue;
}

const space = ' \n\r\t';
const endOfScalar = `${space},]}`;

/** Reads valid JSON once. Throws a SyntaxError, which contains no part of the text, if the text ends too early. */
class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): JsonValue {
    this.skipSpace();
    const start = this.at;
    if (this.current() === '{') return { members: this.readMembers(), text: this.text.slice(start, this.at) };
    if (this.current() === '[') this.skipList();
    else if (this.current() === '"') this.skipString();
    else while (!endOfScalar.includes(this.current())) this.at++;
    return { text: this.text.slice(start, this.at) };
  }

  private readMembers(): ReadonlyMap<string, JsonMember> {
    const members = new Map<string, JsonMember>();
    this.at++;
    for (this.skipSpace(); this.current() !== '}'; this.skipSpace()) {
      const start = this.at;
      this.skipString();
      const quotedName = this.text.slice(start, this.at);
      this.skipSpace();
      this.at++;
      members.set(unquote(quotedName), { quotedName, value: this.read() });
      this.skipSpace();
      if (this.current() === ',') this.at++;
    }
    this.at++;
    return members;
  }

  private current(): string {
    const character = this.text[this.at];
    if (character === undefined) throw new SyntaxError('the text of a JSON object ends too early');
    return character;
  }

  private skipSpace(): void {
    while (space.includes(this.current())) this.at++;
  }

  private skipString(): void {
    this.at++;
    for (; this.current() !== '"'; this.at++) if (this.current() === '\\') this.at++;
    this.at++;
  }

  private skipList(): void {
    let depth = 0;
    do {
      const character = this.current();
      if (character === '"') this.skipString();
      else this.at++;
      if (character === '[' || character === '{') depth++;
      if (character === ']' || character === '}') depth--;
    } while (depth > 0);
  }
}

/** Applies a patch to a value (RFC 7396, section 2). Returns the same object if nothing changes. */
const merge = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (patch.members === undefined) return target?.text === patch.text ? target : patch;
  const members = new Map(target?.members);
  let isChanged = target?.members === undefined;
  for (const [name, { quotedName, value }] of patch.members) {
    const current = members.get(name);
    if (value.text === 'null') {
      isChanged = members.delete(name) || isChanged;
    } else {
      const next = merge(current?.value, value);
      isChanged ||= next !== current?.value;
      members.set(name, { quotedName: current?.quotedName ?? quotedName, value: next });
    }
  }
  if (target !== undefined && !isChanged) return target;
  const texts = [...members.values()].map(({ quotedName, value }) => `${quotedName}:${value.text}`);
  return { text: `{${texts.join(',')}}`, members };
};

/**
 * Applies a JSON merge patch to custom properties. Members that the patch does not name keep their text and their place;
 * new members follow in the order of the patch.
 */
export const mergePatch = (properties: CustomProperties, patch: CustomProperties): CustomProperties =>
  asProperties(merge(new JsonReader(properties).read(), new JsonReader(patch).read()).text);
