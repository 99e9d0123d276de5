import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { EmailAddress, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { CustomProperties } from '../../kit/user-json.ts';

/** A time that is null where it is not known, and missing from documents of a Latchkey that did not keep it. */
const time = t.union([t.number, t.null, t.undefined]);

const storedFields = t.type({
  version: t.string,
  address: EmailAddress,
  verified: t.boolean,
  verificationToken: t.union([t.string, t.null]),
  tokenTime: time,
  mailTime: time,
  password: t.string,
  creationTime: t.number,
  lastUpdateTime: t.number,
  properties: CustomProperties,
});

/** An event as it stands in the document of its user, until it is delivered. */
export interface EventRecord extends QueuedEvent {
  /** From when on it may be claimed, in milliseconds since the epoch. */
  readonly due: number;
  readonly attempts: number;
}

/**
 * A user as a document. `email` is the key of its address and has a unique index; `properties` is the text of a JSON
 * object, so that BSON can change neither names nor numbers in it.
 */
export interface UserRecord extends t.TypeOf<typeof storedFields> {
  /** The version with which the user was inserted. It stays, also when the address changes. */
  readonly _id: string;
  readonly email: string;
  /** The events that wait to be delivered; absent where there never was one. */
  readonly events?: readonly EventRecord[];
}

/** The fields that `toStoredUser` reads. */
export const readFields = { ...Object.fromEntries(Object.keys(storedFields.props).map((key) => [key, 1])), _id: 0 };

/** A document that was not written by this service; the message names its fields and holds no value. */
export class UnreadableRecord extends Error {}

export const toRecord = (user: User, version: string): Omit<UserRecord, '_id' | 'events'> => ({
  email: keyOf(user.email.address),
  version,
  address: user.email.address,
  verified: user.email.verified,
  verificationToken: user.email.verificationToken,
  tokenTime: user.email.tokenTime ?? null,
  mailTime: user.email.mailTime ?? null,
  password: user.password,
  creationTime: user.creationTime,
  lastUpdateTime: user.lastUpdateTime,
  properties: user.properties,
});

/** The user in a document; throws UnreadableRecord when a field is missing or of another type. */
export const toStoredUser = (document: unknown): StoredUser => {
  const decoded = storedFields.decode(document);
  if (isLeft(decoded)) {
    const fields = new Set(decoded.left.map(({ context }) => context[1]?.key ?? ''));
    throw new UnreadableRecord(`a stored user has no readable ${[...fields].join(', ')}`);
  }
  const { version, address, verified, verificationToken, tokenTime, mailTime, ...fields } = decoded.right;
  const { password, creationTime, lastUpdateTime, properties } = fields;
  const times = { ...(t.number.is(tokenTime) && { tokenTime }), ...(t.number.is(mailTime) && { mailTime }) };
  const email = { address, verified, verificationToken, ...times };
  return { user: { email, password, creationTime, lastUpdateTime, properties }, version };
};
