// The first variable that is set applies (OpenTelemetry, "OpenTelemetry Protocol Exporter").
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** The first variable of the environment that is set. */
export const firstSet = (names: readonly string[], environment: NodeJS.ProcessEnv) =>
  names.map((name) => ({ name, value: environment[name]?.trim() ?? '' })).find(({ value }) => value !== '');

/** The variable that names the collector of traces; undefined if there is none, or traces are switched off. */
export const traceCollector = (environment: NodeJS.ProcessEnv) => {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = environment;
  const isDisabled = OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none';
  return isDisabled ? undefined : firstSet(endpointVariables, environment);
};
