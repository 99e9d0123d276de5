import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { batchingIn, samplerIn } from '../../../../../adapters/observability/tracing/environment.ts';
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

  /** How many of some requests leave a span. */
  const sampled = async (environment: NodeJS.ProcessEnv, headers: Record<string, string>, requests: number) => {
    const exporter = new InMemorySpanExporter();
    const sampler = samplerIn(environment, log);
    const provider = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const spans = new Spans(provider.getTracer('test'));
    const request = { method: 'GET', route: '/users', scheme: 'http', headers } as const;
    for (let each = 0; each < requests; each++) await spans.follow(request, async () => 200);
    return exporter.getFinishedSpans().length;
  };

  // Whether a request leaves a span: one without a caller's trace, one in a trace that is kept, one in a trace that is not.
  const samplers: Readonly<Record<string, readonly [own: number, kept: number, dropped: number]>> = {
    '': [1, 1, 0],
    always_on: [1, 1, 1],
    always_off: [0, 0, 0],
    traceidratio: [1, 1, 1],
    parentbased_always_on: [1, 1, 0],
    parentbased_always_off: [0, 1, 0],
    parentbased_traceidratio: [1, 1, 0],
  };
  for (const [name, [own, kept, dropped]] of Object.entries(samplers)) {
    it(`OTEL_TRACES_SAMPLER=${name} keeps what it says`, async () => {
      const environment = { OTEL_TRACES_SAMPLER: name };
      expect([
        await sampled(environment, {}, 1),
        await sampled(environment, caller('01'), 1),
        await sampled(environment, caller('00'), 1),
      ]).to.deep.equal([own, kept, dropped]);
      expect(warnings).to.deep.equal([]);
    });
  }

  for (const name of ['traceidratio', 'parentbased_traceidratio']) {
    it(`OTEL_TRACES_SAMPLER_ARG is the share that ${name} keeps`, async () => {
      const share = (ratio: string) =>
        sampled({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }, {}, 1_000);
      expect(await share('0')).to.equal(0);
      expect(await share('1')).to.equal(1_000);
      // Six standard deviations to either side: by chance once in 500 million runs.
      expect(await share('0.25')).to.be.within(250 - 83, 250 + 83);
    });
  }

  it('a sampler or a share that is none is reported, and everything is kept', async () => {
    expect(await sampled({ OTEL_TRACES_SAMPLER: 'canary' }, {}, 1)).to.equal(1);
    for (const ratio of ['canary', '-1', '1.5'])
      expect(await sampled({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: ratio }, {}, 1)).to.equal(1);
    const ofShare = 'OTEL_TRACES_SAMPLER_ARG has to be a number from 0 to 1: 1 applies';
    expect(warnings).to.deep.equal([
      'OTEL_TRACES_SAMPLER names no sampler that is known: parentbased_always_on applies',
      ...[ofShare, ofShare, ofShare],
    ]);
  });

  it('OTEL_BSP_* say how spans are batched', () => {
    const defaults = {
      scheduledDelayMillis: 5_000,
      exportTimeoutMillis: 30_000,
      maxQueueSize: 2_048,
      maxExportBatchSize: 512,
    };
    expect(batchingIn({ OTEL_BSP_SCHEDULE_DELAY: '' }, log)).to.deep.equal(defaults);
    const environment = {
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_BSP_EXPORT_TIMEOUT: ' 30 ',
      OTEL_BSP_MAX_QUEUE_SIZE: '40',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    };
    expect(batchingIn(environment, log)).to.deep.equal({
      scheduledDelayMillis: 20,
      exportTimeoutMillis: 30,
      maxQueueSize: 40,
      maxExportBatchSize: 10,
    });
    expect(warnings).to.deep.equal([]);
    for (const value of ['canary', '0', '-1', '0.5', 'Infinity'])
      expect(batchingIn({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: value }, log), value).to.deep.equal(defaults);
    expect(warnings).to.deep.equal(
      new Array(5).fill('OTEL_BSP_MAX_EXPORT_BATCH_SIZE has to be a positive whole number: 512 applies'),
    );
  });
});
