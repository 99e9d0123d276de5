import type { PortName, Ports } from '../../adapters/kit/definition.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import { Fault, type FaultCode } from '../../application/fault.ts';
import { withTimeout } from '../../application/interceptor.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { errorSummary } from './locate-module.ts';
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

/** What the calls of an opened adapter are checked with. */
interface Checks {
  /** Returns the Fault that says what the adapter did wrong. */
  readonly report: (problem: string, code?: FaultCode) => Fault;
  /** How long a call may take. */
  readonly timeoutMs: number;
}

type AnyMethods = Readonly<Record<string, Method>>;

const memberMethods = {
  users: userMethods,
  names: nameMethods,
  listing: listingMethods,
  search: searchMethods,
  events: eventMethods,
} as const;

/** A member of what a module exports or opens; undefined unless that is an object. */
export const memberOf = (value: unknown, name: string): unknown => (isMapping(value) ? value[name] : undefined);

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

/** Opening needs no other system, so that even a slow machine has done it by then. */
const openTimeoutMs = 30_000;

/** Opens what an adapter provides for a port. Throws a Fault for every error, and if methods are missing. */
export const openChecked = async <Opened>(
  port: string,
  open: () => Promise<Opened>,
  missingIn: (opened: Opened) => readonly string[],
  report: Checks['report'],
): Promise<Opened> => {
  const opening = (async () => open())().catch((error: unknown) => {
    throw error instanceof Fault ? error : report(`failed to open: ${errorSummary(error)}`);
  });
  const timeoutFault = (): Fault => report(`opened no ${port} within ${openTimeoutMs / 1000} s`, 'timed_out');
  const opened = await withTimeout(openTimeoutMs, opening, timeoutFault);
  const missing = missingIn(opened);
  if (missing.length > 0) throw report(`opened no ${port}: it lacks ${missing.join(', ')}`);
  return opened;
};

/**
 * The port with its methods checked: asynchronous ones return a Promise also if they throw or return a plain value, and
 * throw a Fault for a result that the port does not allow, such as null, because the service takes it for another one, and
 * after `timeoutMs`.
 */
const checkedPort = <Port extends object>(
  port: Port,
  methods: PortMethods<Port>,
  { report, timeoutMs }: Checks,
  prefix = '',
): Port => {
  const checked: Port = Object.create(Object.getPrototypeOf(port));
  for (const [name, { isAsync, allows }] of Object.entries<Method>(methods)) {
    const method: unknown = Reflect.get(port, name);
    if (typeof method !== 'function') continue;
    const place = `${prefix}${name}`;
    const checkResult = (result: unknown): unknown => {
      if (allows(result)) return result;
      throw report(`returned from ${place} what the port does not allow`);
    };
    const settle = async (values: readonly unknown[]): Promise<unknown> => {
      try {
        return checkResult(await Reflect.apply(method, port, values));
      } catch (error) {
        // Only an Error has a place that the log can show.
        throw error instanceof Error ? error : report(`threw a value that is not an Error from ${place}`);
      }
    };
    const callNow = (...values: readonly unknown[]): unknown => {
      const result: unknown = Reflect.apply(method, port, values);
      // The rejection of a Promise, which is not allowed here, would end the process.
      if (result instanceof Promise) result.catch(() => undefined);
      return checkResult(result);
    };
    const timeoutFault = (): Fault => report(`did not end ${place} within ${timeoutMs} ms`, 'timed_out');
    const callAsync = (...values: readonly unknown[]): Promise<unknown> =>
      withTimeout(timeoutMs, settle(values), timeoutFault);
    Object.defineProperty(checked, name, { value: isAsync ? callAsync : callNow });
  }
  return checked;
};

const checkedStore = (store: StorePorts, checks: Checks): StorePorts => {
  const { users, names, listing, search, events } = store;
  const openAttempts = store.attempts?.bind(store);
  return {
    users: checkedPort(users, memberMethods.users, checks, 'users.'),
    ...(names && { names: checkedPort(names, memberMethods.names, checks, 'names.') }),
    ...(listing && { listing: checkedPort(listing, memberMethods.listing, checks, 'listing.') }),
    ...(search && { search: checkedPort(search, memberMethods.search, checks, 'search.') }),
    ...(events && { events: checkedPort(events, memberMethods.events, checks, 'events.') }),
    ...(openAttempts && {
      attempts: async (limits) => {
        const missing = (counter: unknown) => missingIn(counter, counterMethods);
        const counter = await openChecked('AttemptCounter', () => openAttempts(limits), missing, checks.report);
        return checkedPort(counter, counterMethods, checks, 'attempts.');
      },
    }),
  };
};

/** How what an adapter of each port opens is checked, because the compiler has not seen it. */
export const checkedPorts: { readonly [Name in PortName]: (opened: Ports[Name], checks: Checks) => Ports[Name] } = {
  UserStore: checkedStore,
  Mailer: (mailer, checks) => checkedPort(mailer, mailerMethods, checks),
  Secrets: (secrets, checks) => checkedPort(secrets, secretsMethods, checks),
  PasswordHash: (hash, checks) => checkedPort(hash, hashMethods, checks),
};
