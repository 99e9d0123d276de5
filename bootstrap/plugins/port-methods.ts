import { isMapping } from '../../adapters/kit/option-block.ts';
import type { AttemptCounter } from '../../application/ports/attempt-counter.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Mailer } from '../../application/ports/mailer.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { Secrets } from '../../application/ports/secrets.ts';
import type { UserListing } from '../../application/ports/user-listing.ts';
import type { UserSearch } from '../../application/ports/user-search.ts';
import type { UserNames, UserStore } from '../../application/ports/user-store.ts';

/** Whether a port allows a result, as far as the service relies on it. */
type Allows = (result: unknown) => boolean;

/** A method of a port. */
export interface Method {
  /** Whether it returns a Promise. */
  readonly isAsync: boolean;
  readonly allows: Allows;
}

/** The methods of a port. One that is missing does not compile. */
export type PortMethods<Port> = Readonly<Record<keyof Port, Method>>;

const resolves = (allows: Allows): Method => ({ isAsync: true, allows });
const returns = (allows: Allows): Method => ({ isAsync: false, allows });

const oneOf =
  (...values: readonly unknown[]): Allows =>
  (value) =>
    values.includes(value);
const either =
  (...all: readonly Allows[]): Allows =>
  (value) =>
    all.some((allows) => allows(value));
const listOf =
  (allows: Allows): Allows =>
  (value) =>
    Array.isArray(value) && value.every(allows);
const members =
  (checks: Readonly<Record<string, Allows>>): Allows =>
  (value) =>
    isMapping(value) && Object.entries(checks).every(([name, allows]) => allows(value[name]));

const anything: Allows = () => true;
const absent = oneOf(undefined);
const isText: Allows = (value) => typeof value === 'string';
const isNumber: Allows = (value) => Number.isFinite(value);
/** That of a user is an entity tag (RFC 9110, section 8.8.3), without which a response to its write could not be sent. */
const isVersion: Allows = (value) => typeof value === 'string' && /^[!#-~]+$/.test(value);
const isBoolean = oneOf(true, false);

const isUser = members({ email: members({ address: isText }), password: isText, properties: isText });
const isStored = members({ user: isUser, version: isVersion });
const isReservation = members({ key: isText, version: isText });
const isTaken = members({ taken: isText, reservation: either(absent, isReservation) });
const pageTo = (isPosition: Allows): Allows => members({ users: listOf(isUser), next: either(absent, isPosition) });

const event = { id: isText, destination: isText, body: isText, receipt: isText, time: isNumber, attempts: isNumber };
const isWaiting = members({ ...event, due: isNumber });

export const userMethods: PortMethods<UserStore> = {
  find: resolves(either(absent, isStored)),
  insert: resolves(either(isStored, isTaken)),
  replace: resolves(either(isStored, isTaken, oneOf('stale'))),
  remove: resolves(oneOf('removed', 'stale')),
  reserve: resolves(either(isReservation, oneOf('taken'))),
  check: resolves(isText),
  close: resolves(anything),
};

export const nameMethods: PortMethods<UserNames> = { find: userMethods.find };

export const listingMethods: PortMethods<UserListing> = { list: resolves(pageTo(isText)) };

export const searchMethods: PortMethods<UserSearch> = {
  sorted: resolves(pageTo(members({ time: isNumber, key: isText }))),
  count: resolves(isNumber),
};

export const eventMethods: PortMethods<EventOutbox> = {
  add: resolves(anything),
  list: resolves(members({ events: listOf(isWaiting), next: either(absent, isText) })),
  claim: resolves(listOf(members(event))),
  done: resolves(anything),
  postpone: resolves(anything),
  pending: resolves(isNumber),
  destinations: resolves(listOf(isText)),
  expire: resolves((result) => result instanceof Map),
};

export const counterMethods: PortMethods<AttemptCounter> = {
  status: resolves(members({ blockedForMs: isNumber, failures: isNumber })),
  recordFailure: resolves(anything),
  reset: resolves(anything),
  check: resolves(isText),
  close: resolves(anything),
};

export const mailerMethods: PortMethods<Mailer> = {
  send: resolves(anything),
  check: resolves(isText),
  close: resolves(anything),
};

export const secretsMethods: PortMethods<Secrets> = {
  get: resolves(isText),
  check: resolves(isText),
  close: resolves(anything),
};

export const hashMethods: PortMethods<PasswordHash> = {
  canHash: returns(isBoolean),
  hash: resolves((result) => typeof result === 'string' && result !== ''),
  verify: resolves(isBoolean),
  inspect: returns(oneOf('current', 'outdated', 'expensive', 'foreign')),
};
