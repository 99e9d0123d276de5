import type { Audit, AuditEntry, AuditSink } from '../../adapters/http/server/request-audit.ts';
import type { Observer } from '../../adapters/http/server/request-log.ts';
import {
  hashQueueMetricFamilies,
  type MetricFamily,
  serviceMetricFamilies,
} from '../../adapters/observability/metric-families.ts';
import { ServiceMetrics } from '../../adapters/observability/metrics.ts';
import { type ProcessMetrics, processMetrics } from '../../adapters/observability/metrics-exposition.ts';
import type { Protocol, Tracing } from '../../adapters/observability/tracing/index.ts';
import { slowHashes } from '../../adapters/password-hashes/slow-hashes.ts';
import { compose, type Interceptor, intercept } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';
import { version } from '../installed-package.ts';
import type { Adapters } from './open-adapters.ts';

const composed = (tracing: Interceptor | undefined, metrics: Interceptor): Interceptor =>
  tracing === undefined ? metrics : compose(tracing, metrics);

const interceptStore = ({ users, listing, ...others }: StorePorts, interceptor: Interceptor): StorePorts => ({
  ...others,
  users: intercept(
    users,
    { find: true, insert: true, replace: true, remove: true, check: true, close: false },
    interceptor,
  ),
  ...(listing && { listing: intercept(listing, { list: true }, interceptor) }),
});

/** Measures a service, and traces it where a collector is configured. */
export class Observability {
  readonly metrics = new ServiceMetrics();

  constructor(readonly tracing: Tracing | undefined) {}

  /** Wraps every command and query. */
  get messages(): Interceptor {
    return composed(this.tracing?.messages, this.metrics.messageInterceptor);
  }

  /** Counts requests by the Basic key of their client. */
  countKeys(auth: Configuration['auth']): Observer {
    const { keyRequests } = this.metrics;
    // If the first sample of a series is 1, Prometheus sees no increase.
    if (auth?.type === 'basic')
      auth.keys.forEach(({ application }, at) => void keyRequests.get(application).get(String(at + 1)));
    return ({ state: { client } }) => {
      if (client?.name === undefined || client.key === undefined) return;
      keyRequests.get(client.name).get(String(client.key)).total++;
    };
  }

  /** The metrics of this process, together with those of optional parts. */
  report(others: readonly MetricFamily[]): Promise<ProcessMetrics> {
    return processMetrics([...serviceMetricFamilies(this.metrics), ...hashQueueMetricFamilies(slowHashes), ...others]);
  }

  /** The same adapters, with every call of a use case measured and traced. */
  observe({ store, hash, mailer, ...others }: Adapters): Adapters {
    const { tracing, metrics } = this;
    return {
      ...others,
      store: interceptStore(store, composed(tracing?.store, metrics.store.interceptor)),
      hash: intercept(
        hash,
        { canHash: false, hash: true, verify: true, inspect: false },
        composed(tracing?.passwords, metrics.passwords.interceptor),
      ),
      mailer: intercept(
        mailer,
        { send: true, check: true, close: false },
        composed(tracing?.mailer, metrics.mailer.interceptor),
      ),
    };
  }
}

// The first variable that is set applies (OpenTelemetry, "OpenTelemetry Protocol Exporter").
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

const firstSet = (names: readonly string[], environment: NodeJS.ProcessEnv) =>
  names.map((name) => ({ name, value: environment[name]?.trim() ?? '' })).find(({ value }) => value !== '');

const isHttpUrl = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const isDisabled = ({ OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER }: NodeJS.ProcessEnv): boolean =>
  OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none';

const isProtocol = (value: string): value is Protocol => value === 'http/protobuf' || value === 'http/json';

/**
 * Opens tracing if the environment names a collector; otherwise nothing is loaded, and the result is undefined. A value
 * that cannot be used is logged, and the service starts without tracing.
 */
export const openConfiguredTracing = async (environment: NodeJS.ProcessEnv, log: Log): Promise<Tracing | undefined> => {
  const endpoint = firstSet(endpointVariables, environment);
  if (endpoint === undefined || isDisabled(environment)) return undefined;
  const protocol = firstSet(protocolVariables, environment) ?? { name: '', value: 'http/protobuf' };
  if (!isHttpUrl(endpoint.value)) {
    // The log does not show the value, because it may contain a password.
    log.warn({}, `${endpoint.name} is not an http or https URL: requests are not traced`);
    return undefined;
  }
  if (!isProtocol(protocol.value)) {
    log.warn({}, `${protocol.name} must be http/protobuf or http/json: requests are not traced`);
    return undefined;
  }
  const tracing = await import('../../adapters/observability/tracing/index.ts');
  return tracing.openTracing(protocol.value, version, environment, log);
};

const auditFileErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a folder; write the path of a file',
  EROFS: 'is on a read-only file system',
};

/** The sink, with what the operator of a file needs. */
interface OperatedSink extends AuditSink {
  /** Goes on in a new file if the former one was renamed. */
  reopen(): void;
  metrics(): readonly MetricFamily[];
}

/** The audit of one process. */
export type OpenedAudit = Audit & Pick<OperatedSink, 'reopen' | 'metrics'>;

const openAuditSink = async (target: NonNullable<Configuration['audit']>, log: Log): Promise<OperatedSink> => {
  if (target.to === 'log') {
    // The log adds a time of its own; strict JSON parsers reject a line with two.
    const write = ({ time: _, ...entry }: AuditEntry): void => log.info(entry, 'audit');
    return { write, reopen: () => undefined, metrics: () => [], close: async () => undefined };
  }
  const { openAuditFile } = await import('../../adapters/observability/audit-file.ts');
  try {
    return openAuditFile(target.file, log);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = `${auditFileErrors[code] ?? 'cannot be opened'} (${code})`;
    throw new ConfigurationError('the configuration', [{ path: 'audit.file', message }]);
  }
};

/** Null unless requests are audited. Throws a ConfigurationError for a file that cannot be opened. */
export const openAudit = async ({ audit }: Configuration, log: Log): Promise<OpenedAudit | null> => {
  if (audit === null) return null;
  const [{ auditTo }, sink] = await Promise.all([
    import('../../adapters/http/server/request-audit.ts'),
    openAuditSink(audit, log),
  ]);
  return { ...auditTo(sink), reopen: () => sink.reopen(), metrics: () => sink.metrics() };
};
