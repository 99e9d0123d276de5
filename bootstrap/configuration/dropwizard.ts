import * as t from 'io-ts';
import {
  block,
  isMapping,
  member,
  optional,
  type Values,
  type Written,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import { choice, port, text } from '../../adapters/kit/option-codecs.ts';
import { below, omit, optionCodec, problemAt, validate } from './option-errors.ts';

/** Keys of Dropwizard files that have no effect here, by block; '' is the file itself. */
const ignoredKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['emailAddressValidation', 'health', 'maxMemoryPercentage', 'metrics'],
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
const ignoredConnectorKeys: readonly string[] = [
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
  emailAddressValidation: 'the service always checks the form of addresses',
  maxMemoryPercentage: 'limit the memory of the container, or use passwordHash.ceiling',
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
interface Trimmed {
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

/** The simple server of Dropwizard has one connector for both ports; here the admin port stays another one. */
const withConnectorList = (server: unknown): unknown => {
  if (!isMapping(server) || server.type !== 'simple' || server.connector === undefined) return server;
  const { connector, ...others } = server;
  return { ...others, applicationConnectors: [connector] };
};

const simpleServer =
  'server.type is simple: the admin paths are not on the port of server.connector, but on server.adminPort, and all paths start at /';
const openAdminPort =
  'server.adminConnectors has no bindHost: the admin port accepts connections from other machines, as in Dropwizard; write bindHost: 127.0.0.1 unless only trusted machines reach it';

const hasOpenAdminPort = (server: unknown): boolean => {
  const connectors = member(server, 'adminConnectors');
  return Array.isArray(connectors) && connectors.length === 1 && member(connectors[0], 'bindHost') === undefined;
};

const trimmedServer = (value: unknown): Trimmed => {
  const server = ['applicationConnectors', 'adminConnectors'].reduce(
    (server, key) => trimmedMember(server, key, (connectors) => trimmedConnectors(connectors, `server.${key}`)),
    trimmed(withConnectorList(value), 'server', ignoredKeys.server ?? []),
  );
  const simple = member(value, 'type') === 'simple' ? [simpleServer] : [];
  const open = hasOpenAdminPort(value) ? [openAdminPort] : [];
  return { value: server.value, warnings: [...server.warnings, ...simple, ...open] };
};

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

type Connector = Values<typeof connectorBlock.options>;

const noKeyStore =
  'TLS with a key store is not supported; write type: http and end TLS in a proxy, or write server.tls (server.adminTls for the admin port)';
const connectorList = 'a list of one connector: {type: http, port, bindHost}';

/** A list that holds one connector. */
export const connectors = optionCodec<Connector, readonly [Written<typeof connectorBlock.options>]>(
  connectorList,
  connectorBlock.is,
  (value, context) => {
    const given: readonly unknown[] = Array.isArray(value) ? value : [];
    // Reported instead of the number of connectors, and of the keys of the key store, which are unknown.
    const secure = given.findIndex((connector) => ['https', 'h2'].includes(String(member(connector, 'type'))));
    if (secure >= 0) return t.failures([problemAt(below(context, String(secure), 'type'), noKeyStore)]);
    if (given.length !== 1) return t.failure(value, context, `expected ${connectorList}`);
    const at = below(context, '0');
    return validate(connectorBlock, given[0], at);
  },
);
