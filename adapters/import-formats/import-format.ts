import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { FieldError } from '../../domain/failure.ts';
import { UserId } from '../../domain/user.ts';
import { type JsonObject, readJsonObject } from '../kit/exact-json.ts';
import { fieldErrors } from '../kit/user-json/user-codecs.ts';
import { csvRecords } from './csv-records.ts';
import { type ImportRecord, jsonRecords } from './json-records.ts';
import { isMeaningful } from './record-members.ts';

/** Data of another system that an import leaves out. */
type LeftOut =
  | 'id'
  | 'linked_accounts'
  | 'organizations'
  | 'other_addresses'
  | 'outstanding_tokens'
  | 'password'
  | 'pending_actions'
  | 'phone_verification'
  | 'reserved_names'
  | 'roles_and_groups'
  | 'second_factors'
  | 'unreadable_metadata';

/** A user as another system describes it. */
interface ForeignUser {
  /** The id in the other system, in the form that ids of Latchkey can have; undefined if a property called `id` has it. */
  readonly id?: unknown;
  readonly address: string | null | undefined;
  readonly verified: boolean;
  readonly verificationToken?: string | null | undefined;
  /** The hash as Latchkey stores it; undefined if the user has no password. */
  readonly password: string | undefined;
  /** In milliseconds since the epoch; undefined where unknown. */
  readonly creationTime?: number | undefined;
  readonly lastUpdateTime?: number | undefined;
  /** When the user last signed in. */
  readonly lastCheckTime?: number | undefined;
  /** Whether the other system refuses the user, until `disabledUntil` if that is known. */
  readonly isDisabled: boolean;
  readonly disabledUntil?: number | undefined;
  /** Whether the user has to set a new password at the next login. */
  readonly isNewPasswordRequired?: boolean;
  /** Whether the other system keeps the user only as deleted. */
  readonly isDeleted?: boolean;
  /** How the files that the record was joined from contradict each other. */
  readonly conflict?: FieldError | undefined;
  /** The custom properties as texts such as `"name":"Jane"`; undefined for metadata that is no JSON object. */
  readonly properties: readonly (string | undefined)[];
  readonly leftOut: Readonly<Partial<Record<LeftOut, boolean>>>;
  /** The names of members inside others that are not carried over, such as `credentials.code`. */
  readonly otherMembers?: readonly string[];
}

/** Why a record is not imported: a code of problem documents, or one of imports. No error contains a value. */
interface RecordProblem {
  readonly code: 'invalid_json' | 'invalid_body' | 'no_address' | 'deleted_user' | 'conflicting_records';
  readonly errors?: readonly FieldError[];
  /** As the record has it; undefined if it could not be read. */
  readonly address?: string;
}

/** A record converted to a line of JSON Lines, which the import checks like any other line. */
interface ReadRecord {
  /** The line, with a password for a user who has none. */
  readonly line: (password: string) => string;
  readonly password: string | undefined;
  /** What is not carried over: names of `LeftOut`, and `other_members.NAME` for every other member. */
  readonly leftOut: readonly string[];
}

/** Reads the exports of one other system. */
export interface ImportFormat {
  /** Whether the system can store passwords without hashing them, as `passwordHash.algorithm: simple` does. */
  readonly mayHoldPasswords: boolean;
  /** Splits a file into records, in bounded memory. Throws UnreadableExport. */
  records(chunks: AsyncIterable<Buffer>): AsyncIterable<ImportRecord>;
  /** Reads a record that is imported at `now`, in milliseconds since the epoch. */
  read(content: Buffer, now: number): Either<RecordProblem, ReadRecord>;
}

interface Definition<Members extends t.Props> {
  /** The member of a JSON document that lists the users. */
  readonly listName: string;
  /** The columns of the CSV export; null if its first row names them, undefined if the system exports no CSV. */
  readonly columns?: readonly string[] | null;
  readonly mayHoldPasswords?: boolean;
  readonly codec: t.TypeC<Members>;
  /** The members besides those of the codec that are carried over, or that `leftOut` tells of. */
  readonly otherKnown: readonly string[];
  user(values: t.TypeOf<t.TypeC<Members>>, record: JsonObject, now: number): ForeignUser;
}

const openingBracket = /[[{]/;

/** The first character of a file that is not white space, and all chunks from the start. */
const peek = async (chunks: AsyncIterable<Buffer>) => {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<Buffer> {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  }
  const start = first.done === true ? '' : first.value.subarray(0, 100).toString().replace('\ufeff', '').trimStart();
  return { character: start.charAt(0), all: all() };
};

/** Names that can be shown: an address or another value that serves as a name is not among them. */
const showableName = /^[\w.$:-]{1,100}$/;

const otherMember = (name: string): string => (showableName.test(name) ? `other_members.${name}` : 'other_members');

const isLeftOut = (entry: readonly [string, boolean | undefined]): entry is [LeftOut, true] => entry[1] === true;

const disabledReason = 'disabled in the system that the user was imported from';

/** The line of a user. Undefined members are left out, so that they get the defaults of an import. */
const lineOf = (user: ForeignUser, password: string, now: number): string => {
  const { address, verified, isDisabled, disabledUntil, creationTime, lastUpdateTime, properties } = user;
  const email = {
    id: UserId.is(user.id) ? user.id : undefined,
    address,
    verified,
    verificationToken: user.verificationToken,
    lastCheckTime: user.lastCheckTime,
    ...(isDisabled && { disabledTime: now, disabledUntil, disabledReason }),
    ...(user.isNewPasswordRequired === true && { changeRequiredTime: now }),
  };
  const fixed = JSON.stringify({ email, password, creationTime, lastUpdateTime });
  const custom = properties.filter((text) => text !== undefined).map((text) => `,${text}`);
  return `${fixed.slice(0, -1)}${custom.join('')}}`;
};

const invalidJson = (message: string): RecordProblem => ({ code: 'invalid_json', errors: [{ path: '', message }] });

/** Creates the import format of a system from the codec of its records and a function that maps a record to a user. */
export const importFormat = <Members extends t.Props>({
  listName,
  columns,
  mayHoldPasswords = false,
  codec,
  otherKnown,
  user,
}: Definition<Members>): ImportFormat => ({
  mayHoldPasswords,
  async *records(chunks) {
    const { character, all } = await peek(chunks);
    if (columns === undefined || character === '' || openingBracket.test(character)) yield* jsonRecords(all, listName);
    else yield* csvRecords(all, columns);
  },
  read: (content, now) => {
    if (!isUtf8(content)) return left(invalidJson('must be valid UTF-8'));
    const record = readJsonObject(content.toString());
    if (isLeft(record)) return left(invalidJson(record.left));
    const values = codec.decode(record.right.values);
    if (isLeft(values)) {
      const { email } = record.right.values;
      const errors = fieldErrors(values.left);
      return left({ code: 'invalid_body', errors, ...(typeof email === 'string' && { address: email }) });
    }
    const found = user(values.right, record.right, now);
    const { conflict } = found;
    const address = found.address ?? '';
    if (found.isDeleted === true) return left({ code: 'deleted_user', address });
    if (address === '') return left({ code: 'no_address' });
    if (conflict !== undefined) return left({ code: 'conflicting_records', errors: [conflict], address });
    const leftOut = {
      ...found.leftOut,
      id: found.id !== undefined && !UserId.is(found.id),
      password: found.password === undefined,
      unreadable_metadata: found.properties.includes(undefined),
    };
    const unknown = record.right.members
      .map(({ name }) => name)
      .filter((name) => !Object.hasOwn(codec.props, name) && !otherKnown.includes(name))
      .filter((name) => isMeaningful(record.right.values[name]));
    return right({
      line: (password) => lineOf(found, found.password ?? password, now),
      password: found.password,
      leftOut: [
        ...Object.entries(leftOut)
          .filter(isLeftOut)
          .map(([name]) => name),
        ...new Set([...unknown, ...(found.otherMembers ?? [])].map(otherMember)),
      ],
    });
  },
});
