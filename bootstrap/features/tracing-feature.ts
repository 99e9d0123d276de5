import type { Protocol, Tracing } from '../../adapters/observability/tracing/index.ts';
import type { Log } from '../../application/ports/log.ts';
import { version } from '../installed-package.ts';

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
