import { isMapping, member, without } from './document.ts';

/** Keys that Dropwizard files carry and that do nothing here, by the block in which they stand; '' is the file itself. */
export const idleKeys: Readonly<Record<string, readonly string[]>> = {
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

/** Keys of a connector that do nothing here. */
export const idleConnectorKeys: readonly string[] = [
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

/** What stands in for a key, where something does. */
const instead: Readonly<Record<string, string>> = {
  adminContextPath: 'paths of the admin port start at /',
  appenders: 'the log is JSON lines on the standard output',
  applicationContextPath: 'paths start at /',
  requestLog: 'logging.requests chooses the requests that are logged',
  rootPath: 'paths start at /',
  useForwardedHeaders: 'server.trustProxy does this',
};

const warning = (path: string, key: string): string => {
  const hint = instead[key];
  return `${path} has no effect${hint === undefined ? '' : `: ${hint}`}`;
};

/** A document without the keys that do nothing, and a warning for each of them. */
export interface Trimmed {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

const trimmed = (value: unknown, path: string, idle: readonly string[]): Trimmed => ({
  value: without(value, idle),
  warnings: (isMapping(value) ? Object.keys(value) : [])
    .filter((key) => idle.includes(key))
    .map((key) => warning(path === '' ? key : `${path}.${key}`, key)),
});

/** A value with one of its members trimmed; a member that is absent stays so. */
const trimmedMember = (outer: Trimmed, key: string, trim: (inner: unknown) => Trimmed): Trimmed => {
  const inner = member(outer.value, key);
  if (inner === undefined || !isMapping(outer.value)) return outer;
  const { value, warnings } = trim(inner);
  return { value: { ...outer.value, [key]: value }, warnings: [...outer.warnings, ...warnings] };
};

const trimmedConnectors = (value: unknown, path: string): Trimmed => {
  if (!Array.isArray(value)) return { value, warnings: [] };
  const each = value.map((connector, index) => trimmed(connector, `${path}[${index}]`, idleConnectorKeys));
  return { value: each.map((connector) => connector.value), warnings: each.flatMap(({ warnings }) => warnings) };
};

const trimmedServer = (value: unknown): Trimmed =>
  ['applicationConnectors', 'adminConnectors'].reduce(
    (server, key) => trimmedMember(server, key, (connectors) => trimmedConnectors(connectors, `server.${key}`)),
    trimmed(value, 'server', idleKeys.server ?? []),
  );

/** Takes out of a document what only Dropwizard knows. */
export const withoutIdleKeys = (document: unknown): Trimmed => {
  const top = trimmed(document, '', idleKeys[''] ?? []);
  const logged = trimmedMember(top, 'logging', (logging) => trimmed(logging, 'logging', idleKeys.logging ?? []));
  const administrated = trimmedMember(logged, 'admin', (admin) => trimmed(admin, 'admin', idleKeys.admin ?? []));
  return trimmedMember(administrated, 'server', trimmedServer);
};
