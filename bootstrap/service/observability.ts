import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import { ServiceMetrics } from '../../adapters/observability/metrics.ts';
import { type ProcessMetrics, processMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { hashQueueMetricFamilies, serviceMetricFamilies } from '../../adapters/observability/service-metrics.ts';
import type { Protocol, Tracing } from '../../adapters/observability/tracing/index.ts';
import { slowHashes } from '../../adapters/password-hashes/slow-hashes.ts';
import { compose, type Interceptor, intercept } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { version } from '../installed-package.ts';
import type { Adapters } from './adapters.ts';

// The first variable that is set applies (OpenTelemetry, "OpenTelemetry Protocol Exporter").
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/** The first variable of the environment that is set. */
const firstSet = (names: readonly string[], environment: NodeJS.ProcessEnv) =>
  names.map((name) => ({ name, value: environment[name]?.trim() ?? '' })).find(({ value }) => value !== '');

/** The variable that names the collector of traces; undefined if there is none, or traces are switched off. */
const traceCollector = (environment: NodeJS.ProcessEnv) => {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = environment;
  const isDisabled = OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none';
  return isDisabled ? undefined : firstSet(endpointVariables, environment);
};

const isHttpUrl = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const isProtocol = (value: string): value is Protocol => value === 'http/protobuf' || value === 'http/json';

/**
 * Opens tracing if the environment names a collector; otherwise nothing is loaded, and the result is undefined. A value
 * that cannot be used is logged, and the service starts without tracing.
 */
export const openConfiguredTracing = async (environment: NodeJS.ProcessEnv, log: Log): Promise<Tracing | undefined> => {
  const endpoint = traceCollector(environment);
  if (endpoint === undefined) return undefined;
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
  // Loads the packages of OpenTelemetry.
  const { openTracing } = await import('../../adapters/observability/tracing/index.ts');
  return openTracing(protocol.value, version, environment, log);
};

const composed = (tracing: Interceptor | undefined, metrics: Interceptor): Interceptor =>
  tracing === undefined ? metrics : compose(tracing, metrics);

const interceptStore = ({ users, listing, ...others }: StorePorts, interceptor: Interceptor): StorePorts => ({
  ...others,
  users: intercept(
    users,
    { find: true, insert: true, replace: true, remove: true, reserve: true, check: true, close: false },
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
