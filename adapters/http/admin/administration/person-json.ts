import type { Commands, Queries } from '../../../../application/bus.ts';
import { idIn, propertyIn, type UserName } from '../../../../domain/user-name.ts';
import { exportedUser } from '../../../kit/user-json/exported-user.ts';

type Right<Result> =
  Extract<Result, { readonly _tag: 'Right' }> extends { readonly right: infer Value } ? Value : never;
type Person = Right<Queries['GatherPerson']['result']>;
type ErasedPerson = Right<Commands['ErasePerson']['result']>;

/** The entry by which a person is found, or that keeps the mailbox: `id`, `mailbox`, or a unique property with its folded value. */
const entryOf = (name: UserName) => {
  const id = idIn(name);
  if (id !== undefined) return { property: 'id', value: id };
  return { property: propertyIn(name) ?? 'mailbox', value: name.split(' ').slice(2).join(' ') };
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
};

/** Everything about a person as one JSON document, without hashes, tokens and digests: it is given to the person. */
export const personJson = ({ user, names, events, mails, requests, attempts, elsewhere }: Person): string => {
  const others = {
    names: names.map(entryOf),
    events: events.map(({ body, attempts, due }) => ({ event: parsed(body), attempts, nextAttempt: due })),
    mails: mails.map(({ kind, to, since, attempts, due }) => ({ kind, to, since, attempts, nextAttempt: due })),
    requests: requests.map(({ destination, time }) => ({ kind: destination, since: time })),
    attempts: attempts.map(({ kind, failures, blockedForMs }) => ({
      kind,
      failures,
      blockedForSeconds: Math.ceil(blockedForMs / 1000),
    })),
    elsewhere,
  };
  // The custom properties are text, which no number format may change.
  return `{"user":${user === undefined ? 'null' : exportedUser(user)},${JSON.stringify(others).slice(1)}`;
};

/** What was erased, as JSON. */
export const erasedJson = ({ elsewhere, announcements, ...erased }: ErasedPerson): string =>
  JSON.stringify({ erased, announcements, elsewhere });
