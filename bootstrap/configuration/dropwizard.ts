import * as t from 'io-ts';
import {
  below,
  block,
  isMapping,
  member,
  omit,
  optional,
  problemAt,
  type Values,
  type Written,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import { type Codec, choice, port, text } from '../../adapters/kit/option-codecs.ts';

/** Keys of Dropwizard files that have no effect here, by block; '' is the file itself. */
export const ignoredKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['health', 'metrics'],
  admin: ['healthChecks', 'tasks'],
  logging: ['appenders', 'loggers', 'type'],
  server: [
    'adminContextPath',
    'adminMaxThreads',
    'adminMinThreads',
    'allowedMethods',
    'applicationContextPath',
    'detailedJsonProcessingExceptionMapper',
    'dumpAfterStart',
    'dumpBeforeStop',
    'enableAdminVirtualThreads',
    'enableThreadNameFilter',
    'enableVirtualThreads',
    'gid',
    'group',
    'gzip',
    'idleThreadTimeout',
    'maxQueuedRequests',
    'maxThreads',
    'metricPrefix',
    'minThreads',
    'nofileHardLimit',
    'nofileSoftLimit',
    'registerDefaultExceptionMappers',
    'requestLog',
    'responseMeteredLevel',
    'rootPath',
    'serverPush',
    'shutdownGracePeriod',
    'startsAsRoot',
    'stopAtShutdown',
    'type',
    'uid',
    'umask',
    'user',
  ],
};

/** Keys of a connector that have no effect here. */
export const ignoredConnectorKeys: readonly string[] = [
  'acceptQueueSize',
  'acceptorThreads',
  'bufferPoolIncrement',
  'headerCacheSize',
  'httpCompliance',
  'idleTimeout',
  'inheritChannel',
  'inputBufferSize',
  'maxBufferPoolSize',
  'maxRequestHeaderSize',
  'maxResponseHeaderSize',
  'minBufferPoolSize',
  'minRequestDataPerSecond',
  'minRequestDataRate',
  'minResponseDataPerSecond',
  'minResponseDataRate',
  'outputBufferSize',
  'requestCookieCompliance',
  'responseCookieCompliance',
  'reuseAddress',
  'selectorThreads',
  'soLingerTime',
  'uriCompliance',
  'useDateHeader',
  'useForwardedHeaders',
  'useProxyProtocol',
  'useServerHeader',
];

/** What to use instead of a key. */
const replacements: Readonly<Record<string, string>> = {
  adminContextPath: 'paths of the admin port start at /',
  appenders: 'the service logs JSON lines to standard output',
  applicationContextPath: 'paths start at /',
  requestLog: 'use logging.requests',
  rootPath: 'paths start at /',
  useForwardedHeaders: 'use server.trustProxy',
};

const warning = (path: string, key: string): string => {
  const hint = replacements[key];
  return `${path} has no effect${hint === undefined ? '' : `: ${hint}`}`;
};

/** A value without the keys that have no effect, and a warning for each of them. */
export interface Trimmed {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

const trimmed = (value: unknown, path: string, ignored: readonly string[]): Trimmed => ({
  value: omit(value, ignored),
  warnings: (isMapping(value) ? Object.keys(value) : [])
    .filter((key) => ignored.includes(key))
    .map((key) => warning(path === '' ? key : `${path}.${key}`, key)),
});

/** Trims one member of a value, if it is present. */
const trimmedMember = (outer: Trimmed, key: string, trim: (inner: unknown) => Trimmed): Trimmed => {
  const inner = member(outer.value, key);
  if (inner === undefined || !isMapping(outer.value)) return outer;
  const { value, warnings } = trim(inner);
  return { value: { ...outer.value, [key]: value }, warnings: [...outer.warnings, ...warnings] };
};

const trimmedConnectors = (value: unknown, path: string): Trimmed => {
  if (!Array.isArray(value)) return { value, warnings: [] };
  const each = value.map((connector, index) => trimmed(connector, `${path}[${index}]`, ignoredConnectorKeys));
  return { value: each.map((connector) => connector.value), warnings: each.flatMap(({ warnings }) => warnings) };
};

const trimmedServer = (value: unknown): Trimmed =>
  ['applicationConnectors', 'adminConnectors'].reduce(
    (server, key) => trimmedMember(server, key, (connectors) => trimmedConnectors(connectors, `server.${key}`)),
    trimmed(value, 'server', ignoredKeys.server ?? []),
  );

/** Removes the keys that only Dropwizard uses. */
export const withoutIgnoredKeys = (document: unknown): Trimmed => {
  const top = trimmed(document, '', ignoredKeys[''] ?? []);
  const logged = trimmedMember(top, 'logging', (logging) => trimmed(logging, 'logging', ignoredKeys.logging ?? []));
  const administrated = trimmedMember(logged, 'admin', (admin) => trimmed(admin, 'admin', ignoredKeys.admin ?? []));
  return trimmedMember(administrated, 'server', trimmedServer);
};

/** A connector as Dropwizard writes it: one `{type: http, port, bindHost}`. */
export const connectorBlock = block({
  type: withDefault(choice(['http']), 'http', 'The protocol. For TLS, use a proxy or server.tls.'),
  port: optional(port, 'The port to listen on.'),
  bindHost: optional(text, 'The address to listen on.'),
});

export type Connector = Values<typeof connectorBlock.options>;

const noKeyStore =
  'TLS with a key store is not supported; write type: http and end TLS in a proxy, or write server.tls (server.adminTls for the admin port)';
const connectorList = 'a list of one connector: {type: http, port, bindHost}';

/** A list that holds one connector. */
export const connectors: Codec<Connector, readonly [Written<typeof connectorBlock.options>]> = new t.Type<
  Connector,
  unknown,
  unknown
>(
  connectorList,
  connectorBlock.is,
  (value, context) => {
    if (!Array.isArray(value) || value.length !== 1) return t.failure(value, context, `expected ${connectorList}`);
    const at = below(context, '0');
    const type = member(value[0], 'type');
    // Reported instead of the keys of the key store, which are unknown.
    if (type === 'https' || type === 'h2') return t.failures([problemAt(below(at, 'type'), noKeyStore)]);
    return connectorBlock.validate(value[0], at);
  },
  t.identity,
);
