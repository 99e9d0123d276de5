import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Mailer } from '../../application/ports/mailer.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { Secrets } from '../../application/ports/secrets.ts';
import type { UserListing } from '../../application/ports/user-listing.ts';
import type { StorePorts, UserStore } from '../../application/ports/user-store.ts';
import type { AdapterDefinition } from './definition.ts';

/** The ports that an adapter of another package can implement, by their names. */
export interface Ports {
  readonly UserStore: StorePorts;
  readonly Mailer: Mailer;
  readonly Secrets: Secrets;
  readonly PasswordHash: PasswordHash;
}

export type PortName = keyof Ports;

/** The version of each port. It grows when an adapter that was written for the former one would have to change. */
export const portVersions = { UserStore: 2, Mailer: 1, Secrets: 1, PasswordHash: 2 } as const satisfies Record<
  PortName,
  number
>;

/** An adapter that another package exports: a definition that says which port it implements, and which version of it. */
export interface AdapterModule<Name extends PortName, Configuration>
  extends AdapterDefinition<Configuration, Ports[Name]> {
  readonly port: Name;
  readonly portVersion: (typeof portVersions)[Name];
}

/**
 * Keeps the types of such a definition together: another port than `open` gives, and a version that this one is not, do
 * not compile. What it returns is the default export of the package, or its export `adapter`.
 */
export const defineModule = <Name extends PortName, Configuration>(
  definition: AdapterModule<Name, Configuration>,
): AdapterModule<Name, Configuration> => definition;

type MethodsOf<Port> = Readonly<Record<keyof Port, true>>;

const methodsOf = <Port>(methods: MethodsOf<Port>): readonly string[] => Object.keys(methods);

/**
 * The methods of each port, by the member of the opened adapter that has them: '' is the adapter itself, and a member
 * with a question mark may be absent. A method that is missing here does not compile.
 */
export const portMethods: Readonly<Record<PortName, Readonly<Record<string, readonly string[]>>>> = {
  UserStore: {
    users: methodsOf<UserStore>({ find: true, insert: true, replace: true, remove: true, check: true, close: true }),
    'listing?': methodsOf<UserListing>({ list: true }),
    'events?': methodsOf<EventOutbox>({ claim: true, done: true, postpone: true, pending: true, expire: true }),
  },
  Mailer: { '': methodsOf<Mailer>({ send: true, check: true, close: true }) },
  Secrets: { '': methodsOf<Secrets>({ get: true, check: true, close: true }) },
  PasswordHash: { '': methodsOf<PasswordHash>({ canHash: true, hash: true, verify: true, inspect: true }) },
};
