import { X509Certificate } from 'node:crypto';
import { isRight, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { webAddress } from '../../adapters/kit/address-codecs.ts';
import {
  block,
  isMapping,
  member,
  optional,
  type Problem,
  required,
  type Values,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import { flag, list, port, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { connectors } from './dropwizard.ts';
import { type TlsFiles, tls, trustProxy } from './listener-options.ts';
import { below, problemAt, validate, withErrors } from './option-errors.ts';

/** A host name as in a Host header, without a port. */
const hostName = refine(
  text,
  (name) => /^[\w-]+(?:\.[\w-]+)*$/.test(name),
  'expected a host name without scheme and port, such as latchkey.example.com',
);

/** An origin as browsers send it (RFC 6454, section 6.1), or "*". */
const origin = refine(
  text,
  (value) => value === '*' || (!value.includes('*') && URL.canParse(value) && new URL(value).origin === value),
  'expected an origin such as https://app.example.com, or "*" for every origin',
);

/** The block `server.cors`. */
export const corsBlock = block({
  origins: required(list(origin), 'The origins whose pages may call the service.'),
});

/** The block `server`, with the keys of Latchkey and those of Dropwizard. */
export const serverBlock = block({
  host: withDefault(text, '0.0.0.0', 'The address on which the service listens.'),
  port: withDefault(
    port,
    8080,
    'The port of the service; 0 takes any free one. Without the option, PORT of the environment.',
  ),
  adminHost: withDefault(text, '127.0.0.1', 'The address on which the admin port listens.'),
  adminPort: withDefault(port, 8081, 'The port of health, metrics and administration.'),
  adminHosts: withDefault(list(hostName), [], 'Host names of the admin port, besides localhost and IP addresses.'),
  publicUrl: optional(webAddress, 'The URL of the service as people see it; links in mails start with it.'),
  readinessOnPublicPort: withDefault(flag, false, 'Whether /readyz is also on the port of the service.'),
  workers: withDefault(
    wholeNumber(1, 1024),
    1,
    'Processes that answer requests: the number of cores uses the whole machine.',
  ),
  watch: withDefault(flag, false, 'Whether a change of the file, or of a file that it names, is used without SIGHUP.'),
  trustProxy: withDefault(
    trustProxy,
    false,
    'The proxies whose X-Forwarded headers are trusted: their networks, or their number in a row.',
  ),
  tls: optional(tls, 'TLS on the port of the service; HTTP without it.'),
  adminTls: optional(tls, 'TLS on the admin port; HTTP without it.'),
  cors: optional(corsBlock, 'Which pages in browsers may call the service.'),
  applicationConnectors: optional(connectors, 'host and port as Dropwizard writes them.'),
  adminConnectors: optional(connectors, 'adminHost and adminPort as Dropwizard writes them.'),
});

/**
 * A certificate chain and its private key, in PEM form. Not the type of the listener, whose imports the published
 * declarations of the configuration would need.
 */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

type ServerValues = Values<typeof serverBlock.options>;

/** The block `server` without its Dropwizard keys. */
export interface Server extends Omit<ServerValues, 'tls' | 'adminTls' | 'cors' | `${string}Connectors`> {
  /** Null means plain HTTP. */
  readonly tls: Certificate | null;
  /** Null means plain HTTP. */
  readonly adminTls: Certificate | null;
  /** The origins whose pages may call the service. */
  readonly origins: readonly string[];
}

const certificateOf = (files: TlsFiles | null): Certificate | null =>
  files && { cert: files.certFile, key: files.keyFile };

const serverOf = ({
  tls,
  adminTls,
  cors,
  applicationConnectors,
  adminConnectors,
  ...values
}: ServerValues): Server => ({
  ...values,
  host: applicationConnectors?.bindHost ?? values.host,
  port: applicationConnectors?.port ?? values.port,
  // As in Dropwizard, a connector without an address listens on every one.
  adminHost: adminConnectors === null ? values.adminHost : (adminConnectors.bindHost ?? '0.0.0.0'),
  adminPort: adminConnectors?.port ?? values.adminPort,
  tls: certificateOf(tls),
  adminTls: certificateOf(adminTls),
  origins: cors?.origins ?? [],
});

const equivalentKeys = [
  ['applicationConnectors', 'host'],
  ['applicationConnectors', 'port'],
  ['adminConnectors', 'adminHost'],
  ['adminConnectors', 'adminPort'],
] as const;

const duplicates = (given: unknown, context: t.Context): t.Errors =>
  equivalentKeys
    .filter(([connector, key]) => member(given, connector) !== undefined && member(given, key) !== undefined)
    .map(([connector, key]) => problemAt(below(context, key), `means the same as ${connector}; keep one of them`));

const allAddresses = ['0.0.0.0', '::'];

/** Whether the service and its admin port would listen on the same port of the same address. */
const collide = ({ host, port: main, adminHost, adminPort }: Server): boolean =>
  main !== 0 && main === adminPort && (host === adminHost || [host, adminHost].some((at) => allAddresses.includes(at)));

/** The port that a platform assigns in the environment, unless the file has one. */
const assignedPort = (given: unknown): string | undefined => {
  const { PORT } = process.env;
  const isConfigured = member(given, 'port') !== undefined || member(given, 'applicationConnectors') !== undefined;
  return PORT === '' || isConfigured ? undefined : PORT;
};

export const decodeServer = (given: unknown, context: t.Context): t.Validation<Server> => {
  const assigned = assignedPort(given);
  const isAssignable = assigned !== undefined && isRight(port.decode(assigned));
  const fallback = isAssignable ? { port: assigned } : {};
  const values = isMapping(given) ? { ...fallback, ...given } : (given ?? fallback);
  const server = map(serverOf)(validate(serverBlock, values, context));
  const collision =
    isRight(server) && collide(server.right)
      ? [problemAt(below(context, 'adminPort'), 'is the port of the service; write another one')]
      : [];
  // By this name, because the file has no such option.
  const unusable =
    assigned === undefined || isAssignable
      ? []
      : [problemAt(below(context, 'port'), `the environment variable PORT: expected ${port.name}`)];
  return withErrors(server, [...duplicates(given, context), ...collision, ...unusable]);
};

type OtherBlocks = { readonly database: { readonly type: string } };

/** Several processes that would not share their users. */
export const unsharedMemory = ({ workers }: Server, { database }: OtherBlocks): readonly Problem[] =>
  workers > 1 && database.type === 'memory'
    ? [
        {
          path: 'workers',
          message: 'must be 1 with database.type: memory, because each process has users of its own',
        },
      ]
    : [];

const begin = '-----BEGIN CERTIFICATE-----';

/** When the first certificate of a chain in PEM form ends, in milliseconds since the epoch. */
export const endOfChain = (chain: string): number => {
  // A PEM block may follow other text (RFC 7468, section 2); the parser ignores what comes after the block.
  const blocks = chain.split(begin).slice(1);
  return Math.min(...blocks.map((block) => Date.parse(new X509Certificate(begin + block).validTo)));
};

/** The certificates of both ports with the option that names their file; none for a port without TLS. */
export const certificatesOf = ({ tls, adminTls }: Server) => [
  ...(tls === null ? [] : [{ port: 'service', option: 'server.tls.certFile', endMs: endOfChain(tls.cert) } as const]),
  ...(adminTls === null
    ? []
    : [{ port: 'admin', option: 'server.adminTls.certFile', endMs: endOfChain(adminTls.cert) } as const]),
];
