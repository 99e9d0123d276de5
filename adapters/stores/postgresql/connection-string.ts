import { isLoopback } from '../../kit/option-codecs.ts';

/** The URI of libpq. Unlike a URL it may have several hosts. */
const uri = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^:@/?#]*))?@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^?#]*))?$/;
const hostAndPort = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/** `any` finds the primary as well: a standby may return former states. */
const targets = ['read-write', 'primary', 'any'];
/** The certificate is always verified: without that, others on the way can read and change everything. */
const tlsModes = ['require', 'verify-ca', 'verify-full'];
const parameters = ['host', 'target_session_attrs', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

export const syntax =
  'expected a PostgreSQL connection string such as postgresql://user:password@host:5432/database, with the special characters of user and password percent-encoded';

/** What a connection string says. */
export interface Target {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Undefined if it does not say. */
  readonly isEncrypted: boolean | undefined;
  /** The paths of files for TLS. */
  readonly files: {
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
}

const readHost = (written: string): Target['hosts'][number] | undefined => {
  const [, name = '', port = '5432'] = hostAndPort.exec(written) ?? [];
  const host = decodeURIComponent(name).replace(/^\[(.*)\]$/, '$1');
  return host === '' || Number(port) < 1 || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
};

/** Whether a host is a folder of Unix sockets, or the loopback of this machine. */
export const isLocalHost = (host: string): boolean => host.startsWith('/') || isLoopback(host);

/** Reads a connection string; returns what to write instead if it cannot be used, without repeating anything. */
export const parseConnectionString = (written: string): Target | string => {
  const [matched, user = '', password, authority = '', path = '', query = ''] = uri.exec(written) ?? [];
  // Throws for a percent sign that encodes nothing.
  if (matched === undefined || /%(?![\da-f]{2})/i.test(written)) return syntax;
  const options = new Map(new URLSearchParams(query));
  const named = authority === '' ? options.get('host') : authority;
  if (named === undefined || named === '') return `${syntax}; it names no host`;
  const hosts = named
    .split(',')
    .map(readHost)
    .filter((host) => host !== undefined);
  if (hosts.length < named.split(',').length) return `${syntax}; several hosts are separated by commas`;
  const database = decodeURIComponent(path);
  if (database === '') return `${syntax}; it names no database`;
  if ([...options.keys()].some((name) => !parameters.includes(name)))
    return `has a parameter that would have no effect; known are ${parameters.join(', ')}`;
  if (!targets.includes(options.get('target_session_attrs') ?? 'any'))
    return `target_session_attrs must be read-write: every call needs the primary`;
  const mode = options.get('sslmode');
  if (mode !== undefined && mode !== 'disable' && !tlsModes.includes(mode))
    return 'sslmode must be disable, or verify-full, which encrypts and verifies the certificate of the server';
  return {
    hosts,
    database,
    user: user === '' ? undefined : decodeURIComponent(user),
    password: password === undefined ? undefined : decodeURIComponent(password),
    isEncrypted: mode === undefined ? undefined : mode !== 'disable',
    files: { ca: options.get('sslrootcert'), cert: options.get('sslcert'), key: options.get('sslkey') },
  };
};
