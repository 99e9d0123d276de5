import { asProperties, type Email, EmailAddress, Fault, type StoredUser, type User } from 'latchkey/ports';

/**
 * Creates the table if it is missing. The lock prevents an error if several services start at the same time.
 *
 * The primary key is the case-folded address. Passwords and tokens are `bytea`, because they may contain NUL, which
 * `text` refuses. Custom properties are `text`, because JSON types change numbers and the order of names.
 */
export const creation = (table: string): string => `
  SELECT pg_advisory_xact_lock(hashtext('latchkey'));
  CREATE TABLE IF NOT EXISTS ${table} (
    key text PRIMARY KEY,
    version text NOT NULL,
    address text NOT NULL,
    verified boolean NOT NULL,
    verification_token bytea,
    password bytea NOT NULL,
    creation_time bigint NOT NULL,
    last_update_time bigint NOT NULL,
    properties text NOT NULL,
    token_time bigint,
    mail_time bigint
  )`;

/** The columns of a user, without the key, each with its value. */
const columnValues: Readonly<Record<string, (user: User, version: string) => unknown>> = {
  version: (_, version) => version,
  address: ({ email }) => email.address,
  verified: ({ email }) => email.verified,
  verification_token: ({ email: { verificationToken } }) =>
    verificationToken === null ? null : Buffer.from(verificationToken),
  password: ({ password }) => Buffer.from(password),
  creation_time: ({ creationTime }) => creationTime,
  last_update_time: ({ lastUpdateTime }) => lastUpdateTime,
  properties: ({ properties }) => properties,
  token_time: ({ email }) => email.tokenTime,
  mail_time: ({ email }) => email.mailTime,
};

export const columns = Object.keys(columnValues).join(', ');

/** A placeholder for each column, from `$first` on. */
export const placeholders = (first: number): string =>
  Object.keys(columnValues)
    .map((_, index) => `$${first + index}`)
    .join(', ');

/** The values of the columns. */
export const valuesOf = ({ user, version }: StoredUser): readonly unknown[] =>
  Object.values(columnValues).map((value) => value(user, version));

/** A row as the driver returns it; `bigint` values are strings. */
export interface Row {
  readonly version: string;
  readonly address: string;
  readonly verified: boolean;
  readonly verification_token: Buffer | null;
  readonly password: Buffer;
  readonly creation_time: string;
  readonly last_update_time: string;
  readonly properties: string;
  readonly token_time: string | null;
  readonly mail_time: string | null;
}

const toEmail = (address: EmailAddress, row: Row): Email => ({
  address,
  verified: row.verified,
  verificationToken: row.verification_token?.toString() ?? null,
  ...(row.token_time !== null && { tokenTime: Number(row.token_time) }),
  ...(row.mail_time !== null && { mailTime: Number(row.mail_time) }),
});

/** Decodes a row; throws a Fault if it is not valid. */
export const toStoredUser = (row: Row): StoredUser => {
  const { version, address, properties } = row;
  if (!EmailAddress.is(address)) throw new Fault('store_rejected', 'a row has no valid email address');
  return {
    version,
    user: {
      email: toEmail(address, row),
      password: row.password.toString(),
      creationTime: Number(row.creation_time),
      lastUpdateTime: Number(row.last_update_time),
      properties: asProperties(properties),
    },
  };
};
