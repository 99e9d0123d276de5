import { EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
import { idIn, isUserName, type UserKey } from '../../domain/user-name.ts';
import { mailDestination, queuedMailIn } from '../outgoing/mail-queue.ts';
import type { EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import { keysOf, type StoredUser } from '../ports/user-store.ts';
import { recoveryDestination } from '../recovery/request-recovery.ts';

/** What records name a person by. */
export interface PersonKeys {
  readonly keys: ReadonlySet<UserKey>;
  readonly ids: ReadonlySet<string>;
  /** The addresses to which the person asked to move. Others may have them, so that only mails about the move count. */
  readonly pending: ReadonlySet<EmailKey>;
}

/** The names of a person: those that were asked for, and those of the users that were found by them. */
export const personKeysOf = (asked: UserKey, found: readonly StoredUser[]): PersonKeys => {
  const keys = new Set<UserKey>([asked, ...found.flatMap(keysOf)]);
  const moves = found.flatMap(({ user }) => user.addressMove?.to ?? []);
  return {
    keys,
    ids: new Set([...keys].flatMap((key) => (isUserName(key) ? (idIn(key) ?? []) : []))),
    pending: new Set(moves.map(keyOf)),
  };
};

/** What waits in the outbox for a person or about one. */
export interface WaitingRecords {
  readonly events: readonly WaitingEvent[];
  readonly mails: readonly WaitingEvent[];
  /** For a recovery, or to sign up. */
  readonly requests: readonly WaitingEvent[];
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** The type of a domain event; undefined if its record is damaged. */
export const eventTypeIn = ({ body }: Pick<WaitingEvent, 'body'>): unknown => memberOf(parsed(body), 'type');

const isAddressOf = ({ keys }: PersonKeys, value: unknown): boolean => EmailAddress.is(value) && keys.has(keyOf(value));

/** Whether a domain event is about a person. */
export const isEventOf = ({ body }: WaitingEvent, person: PersonKeys): boolean => {
  const data = memberOf(parsed(body), 'data');
  const id = memberOf(data, 'id');
  return (
    isAddressOf(person, memberOf(memberOf(data, 'email'), 'address')) ||
    isAddressOf(person, memberOf(data, 'previousAddress')) ||
    (typeof id === 'string' && person.ids.has(id))
  );
};

const isMailOf = ({ body }: WaitingEvent, person: PersonKeys): boolean => {
  const mail = queuedMailIn(body);
  if (mail === undefined) return false;
  const { to, about, userId, kind } = mail;
  return (
    isAddressOf(person, to) ||
    isAddressOf(person, about) ||
    // Others may have asked to move to the same address.
    (kind === 'change' && userId === undefined && person.pending.has(keyOf(to))) ||
    (userId !== undefined && person.ids.has(userId))
  );
};

/** A request names the user by a key, or by the address. */
const isRequestOf = ({ body }: WaitingEvent, person: PersonKeys): boolean => {
  const request = parsed(body);
  const key = memberOf(request, 'key');
  return [...person.keys].some((own) => own === key) || isAddressOf(person, memberOf(request, 'address'));
};

/** Of requests that are answered after a while: for a recovery, and to sign up. */
const requestDestinations = [recoveryDestination, 'signup'];

const pageSize = 500;

const matching = async (
  outbox: EventOutbox,
  destination: string,
  isOf: (event: WaitingEvent) => boolean,
): Promise<readonly WaitingEvent[]> => {
  const found: WaitingEvent[] = [];
  let after: string | undefined;
  do {
    const page = await outbox.list(destination, pageSize, after);
    found.push(...page.events.filter(isOf));
    after = page.next;
  } while (after !== undefined);
  return found;
};

/** Reads the whole outbox, of which it keeps what is about a person. `webhooks` are the destinations of events. */
export const waitingRecordsOf = async (
  outbox: EventOutbox | undefined,
  webhooks: readonly string[],
  person: PersonKeys,
): Promise<WaitingRecords> => {
  if (outbox === undefined) return { events: [], mails: [], requests: [] };
  const all = async (destinations: readonly string[], isOf: typeof isEventOf): Promise<readonly WaitingEvent[]> => {
    const found: WaitingEvent[] = [];
    for (const one of destinations) found.push(...(await matching(outbox, one, (event) => isOf(event, person))));
    return found;
  };
  return {
    events: await all(webhooks, isEventOf),
    mails: await all([mailDestination], isMailOf),
    requests: await all(requestDestinations, isRequestOf),
  };
};
