// OpenTelemetry's SDK itself does not read these variables any more, from version 3 on. Its package that does, sdk-node,
// brings every exporter there is, gRPC included, and registers its providers for the whole process.
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

/** What a variable may hold. */
interface Expected {
  readonly words: string;
  readonly isMet: (value: number) => boolean;
}

const ratio: Expected = { words: 'a number from 0 to 1', isMet: (value) => value >= 0 && value <= 1 };
const count: Expected = {
  words: 'a positive whole number',
  isMet: (value) => Number.isSafeInteger(value) && value > 0,
};

/** Reads numbers; what is not as expected is said in the log, and `otherwise` applies. */
const numbersIn =
  (environment: Environment, log: Log) =>
  (name: string, { words, isMet }: Expected, otherwise: number): number => {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return otherwise;
    const value = Number(text);
    if (isMet(value)) return value;
    log.warn({}, `${name} has to be ${words}: ${otherwise} applies`);
    return otherwise;
  };

/**
 * Returns the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG describe, parentbased_always_on by default.
 * A value that the specification does not have is reported and ignored (OpenTelemetry, "Environment Variable
 * Specification", general configuration of the SDK).
 */
export const samplerIn = (environment: Environment, log: Log): Sampler => {
  const ofRatio = () => new TraceIdRatioBasedSampler(numbersIn(environment, log)('OTEL_TRACES_SAMPLER_ARG', ratio, 1));
  const name = environment.OTEL_TRACES_SAMPLER?.trim() ?? '';
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return ofRatio();
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: ofRatio() });
  }
  if (name !== '' && name !== 'parentbased_always_on')
    log.warn({}, 'OTEL_TRACES_SAMPLER names no sampler that is known: parentbased_always_on applies');
  return new ParentBasedSampler({ root: new AlwaysOnSampler() });
};

/**
 * Returns how spans are batched, times in milliseconds, as OTEL_BSP_* say. A value that is not a positive whole number
 * is reported and ignored (OpenTelemetry, "Environment Variable Specification", batch span processor).
 */
export const batchingIn = (environment: Environment, log: Log): Omit<BatchSpanProcessorOptions, 'exporter'> => {
  const numberIn = numbersIn(environment, log);
  return {
    scheduledDelayMillis: numberIn('OTEL_BSP_SCHEDULE_DELAY', count, 5_000),
    exportTimeoutMillis: numberIn('OTEL_BSP_EXPORT_TIMEOUT', count, 30_000),
    maxQueueSize: numberIn('OTEL_BSP_MAX_QUEUE_SIZE', count, 2_048),
    maxExportBatchSize: numberIn('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', count, 512),
  };
};
