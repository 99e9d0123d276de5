import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { batchOptions, samplerOf } from '../../../../../adapters/observability/tracing/otel-environment.ts';
import { Spans } from '../../../../../adapters/observability/tracing/spans.ts';

const caller = (flags: '00' | '01') => ({
  traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`,
});

describe('the environment variables of OpenTelemetry', () => {
  let warnings: string[];
  const log = { info: () => {}, warn: (_: unknown, message: string) => warnings.push(message), error: () => {} };
  beforeEach(() => {
    warnings = [];
  });

  /** How many of the requests are recorded. */
  const sampled = async (environment: NodeJS.ProcessEnv, headers: Record<string, string>, requests: number) => {
    const exporter = new InMemorySpanExporter();
    const sampler = samplerOf(environment, log);
    const provider = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const spans = new Spans(provider.getTracer('test'));
    const request = { method: 'GET', route: '/users', scheme: 'http', headers } as const;
    for (let each = 0; each < requests; each++) await spans.traceRequest(request, async () => 200);
    return exporter.getFinishedSpans().length;
  };

  // How many spans are recorded: without a parent, with a sampled parent, with a parent that is not sampled.
  const samplers: Readonly<Record<string, readonly [root: number, sampled: number, notSampled: number]>> = {
    '': [1, 1, 0],
    always_on: [1, 1, 1],
    always_off: [0, 0, 0],
    traceidratio: [1, 1, 1],
    parentbased_always_on: [1, 1, 0],
    parentbased_always_off: [0, 1, 0],
    parentbased_traceidratio: [1, 1, 0],
  };
  for (const [name, [root, withSampledParent, withUnsampledParent]] of Object.entries(samplers)) {
    it(`OTEL_TRACES_SAMPLER=${name} samples as the specification says`, async () => {
      const environment = { OTEL_TRACES_SAMPLER: name };
      expect([
        await sampled(environment, {}, 1),
        await sampled(environment, caller('01'), 1),
        await sampled(environment, caller('00'), 1),
      ]).to.deep.equal([root, withSampledParent, withUnsampledParent]);
      expect(warnings).to.deep.equal([]);
    });
  }

  for (const name of ['traceidratio', 'parentbased_traceidratio']) {
    it(`OTEL_TRACES_SAMPLER_ARG is the ratio that ${name} samples`, async () => {
      const sampledOf = (ratio: string) =>
        sampled({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }, {}, 1_000);
      expect(await sampledOf('0')).to.equal(0);
      expect(await sampledOf('1')).to.equal(1_000);
      // Six standard deviations to either side: by chance once in 500 million runs.
      expect(await sampledOf('0.25')).to.be.within(250 - 83, 250 + 83);
    });
  }

  it('logs an unknown sampler or an invalid ratio, and samples everything', async () => {
    expect(await sampled({ OTEL_TRACES_SAMPLER: 'invalid' }, {}, 1)).to.equal(1);
    for (const ratio of ['invalid', '-1', '1.5'])
      expect(await sampled({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: ratio }, {}, 1)).to.equal(1);
    const invalidRatio = 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; using 1';
    expect(warnings).to.deep.equal([
      'OTEL_TRACES_SAMPLER is not a known sampler; using parentbased_always_on',
      ...[invalidRatio, invalidRatio, invalidRatio],
    ]);
  });

  it('configures batching with OTEL_BSP_*', () => {
    const defaults = {
      scheduledDelayMillis: 5_000,
      exportTimeoutMillis: 30_000,
      maxQueueSize: 2_048,
      maxExportBatchSize: 512,
    };
    expect(batchOptions({ OTEL_BSP_SCHEDULE_DELAY: '' }, log)).to.deep.equal(defaults);
    const environment = {
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_BSP_EXPORT_TIMEOUT: ' 30 ',
      OTEL_BSP_MAX_QUEUE_SIZE: '40',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    };
    expect(batchOptions(environment, log)).to.deep.equal({
      scheduledDelayMillis: 20,
      exportTimeoutMillis: 30,
      maxQueueSize: 40,
      maxExportBatchSize: 10,
    });
    expect(warnings).to.deep.equal([]);
    for (const value of ['invalid', '0', '-1', '0.5', 'Infinity'])
      expect(batchOptions({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: value }, log), value).to.deep.equal(defaults);
    expect(warnings).to.deep.equal(
      new Array(5).fill('OTEL_BSP_MAX_EXPORT_BATCH_SIZE must be a positive whole number; using 512'),
    );
  });
});
