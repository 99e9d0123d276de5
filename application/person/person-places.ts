import * as t from 'io-ts';
import { addressType, EmailAddress, keyOf } from '../../domain/email-address.ts';
import { CustomProperties } from '../../domain/user.ts';
import { idIn, isUserName, type UserKey } from '../../domain/user-name.ts';
import { unlessDamaged } from '../fault.ts';
import { mailDestination, queuedMailIn } from '../outgoing/mail-queue.ts';
import { removeAnswered, waitingEvents } from '../outgoing/single-events.ts';
import type { AttemptCounters } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import { keysOf, type StoredUser } from '../ports/user-store.ts';
import { recoveryDestination } from '../recovery/request-recovery.ts';
import { signUpDestination } from '../sign-up/request-sign-up.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

/** What records name a person by. */
export interface PersonNames {
  readonly keys: ReadonlySet<UserKey>;
  readonly ids: ReadonlySet<string>;
}

/** These names, with the ids among the keys. */
export const personNames = (keys: readonly UserKey[]): PersonNames => ({
  keys: new Set(keys),
  ids: new Set(keys.flatMap((key) => (isUserName(key) ? (idIn(key) ?? []) : []))),
});

/** The names of a person: the one that was asked for, and those of the user that was found by it. */
export const namesOfUser = (asked: UserKey, stored: StoredUser | undefined): PersonNames =>
  personNames(stored === undefined ? [asked] : [asked, ...keysOf(stored)]);

/** Something that is stored about a person. */
export interface Trace {
  /** What the person gets to see of it. */
  readonly shown: object;
  /** Undefined for what has to stay: an event `user.deleted`, so that other systems delete the person too. */
  readonly remove: (() => Promise<void>) | undefined;
}

/** Where people leave traces besides the users of a store. Each place finds those of a person. */
export type PersonPlaces = Readonly<
  Record<'events' | 'mails' | 'requests' | 'attempts', (names: PersonNames) => Promise<readonly Trace[]>>
>;

type IsName = (value: string, names: PersonNames) => boolean;
const isAddress: IsName = (value, { keys }) => EmailAddress.is(value) && keys.has(keyOf(value));
const isKey: IsName = (value, { keys }) => [...keys].some((key) => key === value);
const isId: IsName = (value, { ids }) => ids.has(value);

/** The members with which events and requests name a person. */
const members: ReadonlyMap<string, IsName> = new Map([
  ['address', isAddress],
  ['previousAddress', isAddress],
  ['key', isKey],
  ['id', isId],
]);

/** False for a damaged record. */
const isAbout = (body: string, names: PersonNames): boolean => {
  let found = false;
  try {
    JSON.parse(body, (member, value: unknown) => {
      found ||= typeof value === 'string' && members.get(member)?.(value, names) === true;
      return value;
    });
    return found;
  } catch {
    return false;
  }
};

/** What a person gets to see of a record; undefined if it is not about the person. */
type Shown = (event: WaitingEvent, names: PersonNames) => object | undefined | Promise<object | undefined>;

const shownEvent: Shown = ({ body, attempts, due }, names) =>
  isAbout(body, names) ? { event: JSON.parse(body), attempts, nextAttempt: due } : undefined;

/** The address in a link; empty for one without it, and for a code. */
const addressIn = (secret: string): string =>
  (URL.canParse(secret) ? new URL(secret).searchParams.get('email') : undefined) ?? '';

/** Without the link or code. */
const shownMail =
  (users: Pick<SettlingStore, 'find'>): Shown =>
  async ({ body, time, attempts, due }, names) => {
    const mail = queuedMailIn(body);
    if (mail === undefined) return undefined;
    const { kind, to, userId, about, secret } = mail;
    const isOthers = async (): Promise<boolean> =>
      (await unlessDamaged(users.find(keyOf(to)), () => mail)) !== undefined;
    const isOwn =
      isAddress(to, names) ||
      // The link in the mail to a new address has the present one. Others may have asked to move to the same address.
      isAddress(addressIn(secret), names) ||
      (userId !== undefined && isId(userId, names)) ||
      // A notice to the former address of the person, unless another user has that, who asked to move to this one.
      (about !== undefined && isAddress(about, names) && !(await isOthers()));
    return isOwn ? { kind, to, since: time, attempts, nextAttempt: due } : undefined;
  };

const SignUp = t.type({ address: addressType, properties: CustomProperties });

/** Of a sign-up the address and the properties, without the hash. */
const shownRequest: Shown = ({ body, destination, time }, names) => {
  if (!isAbout(body, names)) return undefined;
  const request: unknown = JSON.parse(body);
  const { address, properties } = SignUp.is(request) ? request : {};
  return { kind: destination, since: time, ...(address !== undefined && { address, properties }) };
};

const Announcement = t.type({ event: t.type({ type: t.literal('user.deleted') }) });

/** What is used of an outbox here. */
export type SearchedOutbox = Pick<EventOutbox, 'destinations' | 'list' | 'claim' | 'postpone' | 'done'>;

/** The outbox of a store that has none. */
export const emptyOutbox: SearchedOutbox = {
  destinations: async () => [],
  list: async () => ({ events: [], next: undefined }),
  claim: async () => [],
  postpone: async () => undefined,
  done: async () => undefined,
};

/** What waits in the outbox for the destinations that `isWanted` accepts, which are read as a whole. */
export async function* waitingIn(
  outbox: SearchedOutbox,
  isWanted: (destination: string) => boolean,
): AsyncGenerator<WaitingEvent> {
  for (const destination of await outbox.destinations())
    if (isWanted(destination)) yield* waitingEvents(outbox, destination);
}

const waiting =
  (
    outbox: SearchedOutbox,
    isWanted: (destination: string) => boolean,
    shownOf: Shown,
    removed = (event: WaitingEvent): Promise<void> => outbox.done(event),
  ) =>
  async (names: PersonNames): Promise<readonly Trace[]> => {
    const traces: Trace[] = [];
    for await (const event of waitingIn(outbox, isWanted)) {
      const shown = await shownOf(event, names);
      const remove = Announcement.is(shown) ? undefined : () => removed(event);
      if (shown !== undefined) traces.push({ shown, remove });
    }
    return traces;
  };

/** A damaged count counts as one failure. */
const counted =
  (counters: AttemptCounters): PersonPlaces['attempts'] =>
  async ({ keys }) => {
    const traces: Trace[] = [];
    for (const [kind, attempts] of Object.entries(counters)) {
      if (attempts === undefined) continue;
      for (const user of keys) {
        const { failures, blockedForMs } = await unlessDamaged(attempts.status({ user, client: undefined }), () => ({
          failures: 1,
          blockedForMs: 0,
        }));
        const shown = { kind, failures, blockedForSeconds: Math.ceil(blockedForMs / 1000) };
        if (failures > 0 || blockedForMs > 0) traces.push({ shown, remove: () => attempts.reset(user) });
      }
    }
    return traces;
  };

const isMail = (destination: string): boolean => destination === mailDestination;
const isRequest = (destination: string): boolean =>
  destination === recoveryDestination || destination === signUpDestination;

/** Events are also those of webhooks that are not configured any more. */
export const personPlaces = (
  outbox: SearchedOutbox,
  counters: AttemptCounters,
  users: Pick<SettlingStore, 'find'>,
  clock: Clock,
): PersonPlaces => ({
  events: waiting(outbox, (destination) => !isMail(destination) && !isRequest(destination), shownEvent),
  mails: waiting(outbox, isMail, shownMail(users)),
  requests: waiting(outbox, isRequest, shownRequest, (request) =>
    // Others lead to nothing without a user.
    request.destination === signUpDestination ? removeAnswered(outbox, clock, request) : outbox.done(request),
  ),
  attempts: counted(counters),
});
