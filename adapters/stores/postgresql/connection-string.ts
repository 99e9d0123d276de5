import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { ClientConfig } from 'pg';
import { Fault, type FaultCode } from '../../../application/fault.ts';
import { singleFlight } from '../../concurrency/shared-call.ts';
import { isLoopback } from '../../kit/address-codecs.ts';
import { mebibyte, readSmallFile } from '../../kit/small-file.ts';
import { systemCode } from './errors.ts';

const commandTimeoutMs = 10_000;

interface PasswordSources {
  readonly password: string | undefined;
  readonly passwordFile: string | null;
  readonly passwordCommand: readonly string[] | null;
}

const run = promisify(execFile);

/** Runs the passwordCommand without a shell and returns its output, of which nothing can reach an error. Throws Faults. */
const outputOf = async ([program = '', ...args]: readonly string[]): Promise<string> => {
  try {
    const running = run(program, args, { timeout: commandTimeoutMs, killSignal: 'SIGKILL', maxBuffer: 65_536 });
    // One that asks for something would wait for the answer otherwise.
    running.child.stdin?.end();
    return (await running).stdout;
  } catch (error) {
    throw new Fault('store_unavailable', `PostgreSQL: the passwordCommand failed${systemCode(error)}`);
  }
};

/** The text of a file that the option `what` names. Throws a Fault with `code` if it cannot be read. */
const contentOf = (path: string, what: string, code: FaultCode, maxBytes?: number): string => {
  const bytes = readSmallFile(path, maxBytes);
  if (isLeft(bytes)) throw new Fault(code, `PostgreSQL: the ${what}: ${bytes.left}`);
  return bytes.right.toString();
};

/** Returns a password that is read for every connection, without the line break at its end. Throws Faults. */
const changing = (what: string, read: () => Promise<string>): (() => Promise<string>) =>
  // Connections that are made at the same time share one execution, which began when the last of them asked for it.
  singleFlight(async () => {
    const password = (await read()).replace(/\r?\n$/, '');
    if (password === '') throw new Fault('store_unavailable', `PostgreSQL: the ${what} is empty`);
    return password;
  });

/** The password of new connections. A function also where there is none: the driver would read variables and files. */
const passwordFrom = ({ password, passwordFile, passwordCommand }: PasswordSources): (() => Promise<string>) => {
  if (passwordFile !== null)
    return changing('passwordFile', async () => contentOf(passwordFile, 'passwordFile', 'store_unavailable', mebibyte));
  if (passwordCommand !== null) return changing('passwordCommand', () => outputOf(passwordCommand));
  return async () => password ?? '';
};

/** The URI of libpq. Unlike a URL it may have several hosts. */
const uri = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^:@/?#]*))?@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^?#]*))?$/;
const hostAndPort = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/** `any` is accepted, and finds the primary, too: a standby may return former states. */
const targets = ['read-write', 'primary', 'any'];
/** The certificate is always verified: without that, others on the way can read and change everything. */
const tlsModes = ['require', 'verify-ca', 'verify-full'];
const knownParameters = ['host', 'target_session_attrs', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

export const syntax =
  'expected a PostgreSQL connection string such as postgresql://user:password@host:5432/database, with the special characters of user and password percent-encoded';

/** What a connection string says. */
interface Target {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

const readHost = (written: string): Target['hosts'][number] | undefined => {
  const [, name = '', port = '5432'] = hostAndPort.exec(written) ?? [];
  const host = decodeURIComponent(name).replace(/^\[(.*)\]$/, '$1');
  return host === '' || Number(port) < 1 || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
};

/** Reads a connection string; returns what to write instead if it cannot be used, without repeating anything. */
export const parseConnectionString = (written: string): Target | string => {
  const [matched, user = '', password, authority = '', path = '', query = ''] = uri.exec(written) ?? [];
  // Throws for a percent sign that encodes nothing.
  if (matched === undefined || /%(?![\da-f]{2})/i.test(written)) return syntax;
  const parameters = new Map(new URLSearchParams(query));
  const named = authority === '' ? parameters.get('host') : authority;
  if (named === undefined || named === '') return `${syntax}; it names no host`;
  const hosts = named
    .split(',')
    .map(readHost)
    .filter((host) => host !== undefined);
  if (hosts.length < named.split(',').length) return `${syntax}; several hosts are separated by commas`;
  const database = decodeURIComponent(path);
  if (database === '') return `${syntax}; it names no database`;
  if ([...parameters.keys()].some((name) => !knownParameters.includes(name)))
    return `has a parameter that would have no effect; known are ${knownParameters.join(', ')}`;
  if (!targets.includes(parameters.get('target_session_attrs') ?? 'any'))
    return `target_session_attrs must be read-write: every call needs the primary`;
  const mode = parameters.get('sslmode');
  if (mode !== undefined && mode !== 'disable' && !tlsModes.includes(mode))
    return 'sslmode must be disable, or verify-full, which encrypts and verifies the certificate of the server';
  return {
    hosts,
    database,
    user: user === '' ? undefined : decodeURIComponent(user),
    password: password === undefined ? undefined : decodeURIComponent(password),
    parameters,
  };
};

/** Whether a host is a folder of Unix sockets, or the loopback of this machine. */
const isLocal = ({ host }: Target['hosts'][number]): boolean => host.startsWith('/') || isLoopback(host);

interface ServerOptions extends Omit<PasswordSources, 'password'> {
  readonly connectionString: string;
  /** Certificates in PEM format. */
  readonly caFile: string | null;
}

/**
 * The options of the driver for each host. Nothing of them is undefined that it would read from variables instead. Throws a
 * Fault for a file that cannot be read.
 */
export const serversOf = ({ connectionString, caFile, ...sources }: ServerOptions): readonly ClientConfig[] => {
  const target = parseConnectionString(connectionString);
  if (typeof target === 'string') throw new Fault('store_rejected', `PostgreSQL: the connection string ${target}`);
  const { hosts, database, user, parameters } = target;
  const fileOf = (parameter: string) => {
    const path = parameters.get(parameter);
    return path === undefined ? undefined : contentOf(path, `${parameter} of the connection string`, 'store_rejected');
  };
  // Undefined certificates mean those of Node.js.
  const tls = { ca: caFile ?? fileOf('sslrootcert'), cert: fileOf('sslcert'), key: fileOf('sslkey') };
  const mode = parameters.get('sslmode');
  const isEncrypted = mode === undefined ? tls.ca !== undefined || !hosts.every(isLocal) : mode !== 'disable';
  const password = passwordFrom({ ...sources, password: target.password });
  return hosts.map((host) => ({ ...host, database, user, password, ssl: isEncrypted && tls }));
};
