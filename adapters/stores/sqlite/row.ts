import type { EmailAddress } from '../../../domain/email-address.ts';
import type { CustomProperties } from '../../../domain/properties.ts';
import type { User } from '../../../domain/user.ts';

/** A user as the columns of its row, in the order of `columns`. */
export type Row = readonly [
  address: EmailAddress,
  verified: 0 | 1,
  verificationToken: string | null,
  password: string,
  creationTime: number,
  lastUpdateTime: number,
  properties: CustomProperties,
];

/** The columns of a user, without the key and the version. */
export const columns = 'address, verified, verification_token, password, creation_time, last_update_time, properties';

/** The only table. STRICT makes SQLite itself refuse a value of another type, which is why reading needs no decoder. */
export const schema = `
  CREATE TABLE users (
    key TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    address TEXT NOT NULL,
    verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
    verification_token TEXT,
    password TEXT NOT NULL,
    creation_time INTEGER NOT NULL,
    last_update_time INTEGER NOT NULL,
    properties TEXT NOT NULL
  ) STRICT`;

export const toRow = ({ email, password, creationTime, lastUpdateTime, properties }: User): Row => [
  email.address,
  email.verified ? 1 : 0,
  email.verificationToken,
  password,
  creationTime,
  lastUpdateTime,
  properties,
];

/** The user in a row; what follows its columns is left to the caller. */
export const toUser = (row: readonly [...Row, ...unknown[]]): User => ({
  email: { address: row[0], verified: row[1] === 1, verificationToken: row[2] },
  password: row[3],
  creationTime: row[4],
  lastUpdateTime: row[5],
  properties: row[6],
});
