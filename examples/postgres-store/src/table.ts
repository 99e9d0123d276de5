import { asProperties, type Email, EmailAddress, Fault, type StoredUser, type User } from 'latchkey/ports';

/**
 * Makes the only table when it is missing. Of two services that start at once one would fail, so that both take a lock
 * first, which ends with the statements.
 *
 * The primary key is the address without regard to case: it decides who has an address. A password and a token may hold
 * the character NUL, which `text` refuses; custom properties are text, so that no JSON type of the database changes a
 * number or the order of the names.
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

/** The columns of a user, without the key. */
export const columns =
  'version, address, verified, verification_token, password, creation_time, last_update_time, properties, token_time, mail_time';

/** What goes into these columns, in their order. */
export const valuesOf = ({ email, ...user }: User, version: string): readonly unknown[] => [
  version,
  email.address,
  email.verified,
  email.verificationToken === null ? null : Buffer.from(email.verificationToken),
  Buffer.from(user.password),
  user.creationTime,
  user.lastUpdateTime,
  user.properties,
  email.tokenTime,
  email.mailTime,
];

/** What the driver makes of these columns: a `bigint` is a text. */
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

/** The user in a row. Throws a Fault when somebody else wrote the row. */
export const toStoredUser = (row: Row): StoredUser => {
  const { version, address, properties } = row;
  if (!EmailAddress.is(address)) throw new Fault('store_rejected', 'a row holds no email address');
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
