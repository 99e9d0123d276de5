import type { Protocol, Tracing } from '../../adapters/observability/tracing/index.ts';
import type { Log } from '../../application/ports/log.ts';
import { version } from '../version.ts';

/** The variables that name a collector; the first one that is set counts (OpenTelemetry Protocol Exporter). */
const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

const firstOf = (names: readonly string[], environment: NodeJS.ProcessEnv) =>
  names.map((name) => ({ name, value: environment[name]?.trim() ?? '' })).find(({ value }) => value !== '');

const isWebAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const switchedOff = ({ OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER }: NodeJS.ProcessEnv): boolean =>
  OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none';

const isProtocol = (value: string): value is Protocol => value === 'http/protobuf' || value === 'http/json';

/**
 * Opens tracing when the environment names a collector, and loads nothing otherwise: undefined then, and with a line
 * in the log when what is named can't be used. The service starts all the same.
 */
export const tracingOf = async (environment: NodeJS.ProcessEnv, log: Log): Promise<Tracing | undefined> => {
  const endpoint = firstOf(endpoints, environment);
  if (endpoint === undefined || switchedOff(environment)) return undefined;
  const protocol = firstOf(protocols, environment) ?? { name: '', value: 'http/protobuf' };
  if (!isWebAddress(endpoint.value)) {
    // Its value may hold a password.
    log.warn({}, `${endpoint.name} is no http or https URL: requests are not traced`);
    return undefined;
  }
  if (!isProtocol(protocol.value)) {
    log.warn({}, `${protocol.name} has to be http/protobuf or http/json: requests are not traced`);
    return undefined;
  }
  const { openTracing } = await import('../../adapters/observability/tracing/index.ts');
  return openTracing(protocol.value, version, environment, log);
};
