import { randomUUID } from 'node:crypto';
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { ImportFormat } from '../../adapters/import-formats/import-format.ts';
import { linesOf } from '../../adapters/json-lines/lines.ts';
import { userIn } from '../../adapters/json-lines/user-line.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import type { FieldError } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';

/** Why a record was not imported: a code of problem documents, or one of imports. */
export interface Skip {
  readonly code: string;
  /** As the record has it; undefined if it could not be read. */
  readonly address?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

/** What describes one user in a file. */
export interface SourceRecord {
  /** Counted from 1. */
  readonly number: number;
  /** Undefined with a `problem`, or if it is too long. */
  readonly content: Buffer | undefined;
  readonly problem?: Skip;
  /** The offset of the next one, in bytes from the start of the file. */
  readonly end: number;
}

/** A user of a file, and the names of what is not carried over. */
interface SourceUser {
  readonly user: User;
  /** Whether the password is to be hashed; as the options say if undefined. */
  readonly isPlain?: boolean;
  readonly leftOut: readonly string[];
}

/** How to read the users of a file. */
export interface ImportSource {
  /** What the numbers of records count. */
  readonly unit: 'line' | 'record';
  /** Splits the chunks of a file, in bounded memory. */
  split(chunks: AsyncIterable<Buffer>): AsyncIterable<SourceRecord>;
  read(content: Buffer): Either<Skip, SourceUser>;
}

/** The lines that `latchkey export` writes. */
export const userLines: ImportSource = {
  unit: 'line',
  split: linesOf,
  read: (content) => {
    const user = userIn(content, systemClock.now());
    return isLeft(user) ? user : right({ user: user.right, leftOut: [] });
  },
};

/**
 * The records of another system. A user without a password gets a stored hash of `unusableHash`; if that returns undefined,
 * the hash of a random password, which is not kept. `keepsIds`: whether users have ids.
 */
export const foreignUsers = (
  format: ImportFormat,
  unusableHash: () => string | undefined,
  keepsIds: boolean,
): ImportSource => ({
  unit: 'record',
  split: (chunks) => format.records(chunks),
  read: (content) => {
    const now = systemClock.now();
    const record = format.read(content, now);
    if (isLeft(record)) return record;
    const { password = unusableHash(), line, leftOut } = record.right;
    const user = userIn(Buffer.from(line(password ?? randomUUID())), now);
    const lost = leftOut.filter((name) => keepsIds || name !== 'id');
    return isLeft(user) ? user : right({ user: user.right, isPlain: password === undefined, leftOut: lost });
  },
});
