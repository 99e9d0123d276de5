import type { PortName, Ports } from '../../adapters/kit/definition.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import type { Fault } from '../../application/fault.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import {
  counterMethods,
  eventMethods,
  hashMethods,
  listingMethods,
  type Method,
  mailerMethods,
  nameMethods,
  type PortMethods,
  searchMethods,
  secretsMethods,
  userMethods,
} from './port-methods.ts';

/** Returns the Fault that says what an adapter did wrong. */
type Report = (problem: string) => Fault;

type AnyMethods = Readonly<Record<string, Method>>;

const memberMethods = {
  users: userMethods,
  names: nameMethods,
  listing: listingMethods,
  search: searchMethods,
  events: eventMethods,
} as const;

const memberOf = (value: unknown, name: string): unknown => (isMapping(value) ? value[name] : undefined);

const missingIn = (port: unknown, methods: AnyMethods, prefix = ''): readonly string[] =>
  Object.keys(methods)
    .filter((name) => typeof memberOf(port, name) !== 'function')
    .map((name) => `${prefix}${name}`);

const missingInStore = (store: unknown): readonly string[] => [
  ...Object.entries(memberMethods).flatMap(([member, methods]) => {
    const port = memberOf(store, member);
    return port === undefined && member !== 'users' ? [] : missingIn(port, methods, `${member}.`);
  }),
  ...(['function', 'undefined'].includes(typeof memberOf(store, 'attempts')) ? [] : ['attempts']),
];

/** The methods that an opened adapter lacks. Members of a store other than the users are optional. */
export const missingMethods: Readonly<Record<PortName, (opened: unknown) => readonly string[]>> = {
  UserStore: missingInStore,
  Mailer: (mailer) => missingIn(mailer, mailerMethods),
  Secrets: (secrets) => missingIn(secrets, secretsMethods),
  PasswordHash: (hash) => missingIn(hash, hashMethods),
};

/**
 * The port with its methods checked: asynchronous ones return a Promise also if they throw or return a plain value, and
 * throw a Fault for a result that the port does not allow, such as null, because the service takes it for another one.
 */
const checkedPort = <Port extends object>(
  port: Port,
  methods: PortMethods<Port>,
  report: Report,
  prefix = '',
): Port => {
  const checked: Port = Object.create(Object.getPrototypeOf(port));
  for (const [name, { isAsync, allows }] of Object.entries<Method>(methods)) {
    const method: unknown = Reflect.get(port, name);
    if (typeof method !== 'function') continue;
    const place = `${prefix}${name}`;
    const call = (values: readonly unknown[]): unknown => Reflect.apply(method, port, values);
    const checkResult = (result: unknown): unknown => {
      if (allows(result)) return result;
      throw report(`returned from ${place} what the port does not allow`);
    };
    const callAsync = async (...values: readonly unknown[]): Promise<unknown> => {
      try {
        return checkResult(await call(values));
      } catch (error) {
        // Only an Error has a place that the log can show.
        throw error instanceof Error ? error : report(`threw a value that is not an Error from ${place}`);
      }
    };
    const callNow = (...values: readonly unknown[]): unknown => {
      const result = call(values);
      // The rejection of a Promise, which is not allowed here, would end the process.
      if (result instanceof Promise) result.catch(() => undefined);
      return checkResult(result);
    };
    Object.defineProperty(checked, name, { value: isAsync ? callAsync : callNow });
  }
  return checked;
};

const checkedStore = (store: StorePorts, report: Report): StorePorts => {
  const { users, names, listing, search, events } = store;
  const openAttempts = store.attempts?.bind(store);
  return {
    users: checkedPort(users, memberMethods.users, report, 'users.'),
    ...(names && { names: checkedPort(names, memberMethods.names, report, 'names.') }),
    ...(listing && { listing: checkedPort(listing, memberMethods.listing, report, 'listing.') }),
    ...(search && { search: checkedPort(search, memberMethods.search, report, 'search.') }),
    ...(events && { events: checkedPort(events, memberMethods.events, report, 'events.') }),
    ...(openAttempts && {
      attempts: async (limits) => {
        const counter = await openAttempts(limits);
        const missing = missingIn(counter, counterMethods);
        if (missing.length > 0) throw report(`opened no AttemptCounter: it lacks ${missing.join(', ')}`);
        return checkedPort(counter, counterMethods, report, 'attempts.');
      },
    }),
  };
};

/** How what an adapter of each port opens is checked, because the compiler has not seen it. */
export const checkedPorts: { readonly [Name in PortName]: (opened: Ports[Name], report: Report) => Ports[Name] } = {
  UserStore: checkedStore,
  Mailer: (mailer, report) => checkedPort(mailer, mailerMethods, report),
  Secrets: (secrets, report) => checkedPort(secrets, secretsMethods, report),
  PasswordHash: (hash, report) => checkedPort(hash, hashMethods, report),
};
