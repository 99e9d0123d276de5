import type { CustomProperties } from '../../../domain/custom-properties.ts';
import type { EmailAddress } from '../../../domain/email-address.ts';
import type { Email, User } from '../../../domain/user.ts';

/** A user as the columns of its row, in the order of `columns`. */
export type Row = readonly [
  address: EmailAddress,
  verified: 0 | 1,
  verificationToken: string | null,
  password: string,
  creationTime: number,
  lastUpdateTime: number,
  properties: CustomProperties,
  tokenTime: number | null,
  mailTime: number | null,
];

/** The columns of a user, without the key and the version. */
export const columns =
  'address, verified, verification_token, password, creation_time, last_update_time, properties, token_time, mail_time';

/** A row of the usual size, as an expression of SQL: the columns of a user, and a version. */
export const nobodysRow = `'somebody-of-the-usual-length@example.com', 0, '${'-'.repeat(36)}', '${'-'.repeat(60)}', 1700000000000, 1700000000000, '{}', 1700000000000, 1700000000000, '${'-'.repeat(36)}'`;

export const toRow = ({ email, password, creationTime, lastUpdateTime, properties }: User): Row => [
  email.address,
  email.verified ? 1 : 0,
  email.verificationToken,
  password,
  creationTime,
  lastUpdateTime,
  properties,
  email.tokenTime ?? null,
  email.mailTime ?? null,
];

const toEmail = (row: readonly [...Row, ...unknown[]]): Email => {
  const email = { address: row[0], verified: row[1] === 1, verificationToken: row[2] };
  const [tokenTime, mailTime] = [row[7], row[8]];
  // Most users: nothing is outstanding, and no mail was asked for.
  if (tokenTime === null && mailTime === null) return email;
  return { ...email, ...(tokenTime !== null && { tokenTime }), ...(mailTime !== null && { mailTime }) };
};

/** The user in a row; what follows its columns is left to the caller. */
export const toUser = (row: readonly [...Row, ...unknown[]]): User => ({
  email: toEmail(row),
  password: row[3],
  creationTime: row[4],
  lastUpdateTime: row[5],
  properties: row[6],
});
