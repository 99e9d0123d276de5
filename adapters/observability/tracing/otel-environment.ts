// The OpenTelemetry SDK does not read these variables itself since version 3. Its package sdk-node does, but it includes
// every exporter, also gRPC, and registers its providers globally.
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type BatchSpanProcessorOptions,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../../../application/ports/log.ts';

type Environment = NodeJS.ProcessEnv;

interface NumberFormat {
  readonly description: string;
  readonly isValid: (value: number) => boolean;
}

const ratio: NumberFormat = { description: 'a number from 0 to 1', isValid: (value) => value >= 0 && value <= 1 };
const count: NumberFormat = {
  description: 'a positive whole number',
  isValid: (value) => Number.isSafeInteger(value) && value > 0,
};

/** Reads numeric variables. An invalid value is logged, and the default applies. */
const numberReader =
  (environment: Environment, log: Log) =>
  (name: string, { description, isValid }: NumberFormat, defaultValue: number): number => {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return defaultValue;
    const value = Number(text);
    if (isValid(value)) return value;
    log.warn({}, `${name} must be ${description}; using ${defaultValue}`);
    return defaultValue;
  };

/**
 * The sampler of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG, parentbased_always_on by default. An unknown value is
 * logged and ignored (OpenTelemetry, "Environment Variable Specification", general SDK configuration).
 */
export const samplerOf = (environment: Environment, log: Log): Sampler => {
  const ratioSampler = () =>
    new TraceIdRatioBasedSampler(numberReader(environment, log)('OTEL_TRACES_SAMPLER_ARG', ratio, 1));
  const name = environment.OTEL_TRACES_SAMPLER?.trim() ?? '';
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return ratioSampler();
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: ratioSampler() });
  }
  if (name !== '' && name !== 'parentbased_always_on')
    log.warn({}, 'OTEL_TRACES_SAMPLER is not a known sampler; using parentbased_always_on');
  return new ParentBasedSampler({ root: new AlwaysOnSampler() });
};

/**
 * The options of OTEL_BSP_* for batching spans. A value that is not a positive whole number is logged and ignored
 * (OpenTelemetry, "Environment Variable Specification", batch span processor).
 */
export const batchOptions = (environment: Environment, log: Log): Omit<BatchSpanProcessorOptions, 'exporter'> => {
  const read = numberReader(environment, log);
  return {
    scheduledDelayMillis: read('OTEL_BSP_SCHEDULE_DELAY', count, 5_000),
    exportTimeoutMillis: read('OTEL_BSP_EXPORT_TIMEOUT', count, 30_000),
    maxQueueSize: read('OTEL_BSP_MAX_QUEUE_SIZE', count, 2_048),
    maxExportBatchSize: read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', count, 512),
  };
};
