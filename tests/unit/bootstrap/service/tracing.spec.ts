import { expect } from 'chai';
import { openConfiguredTracing } from '../../../../bootstrap/service/observability.ts';

describe('tracing by environment variables', () => {
  /** Whether the environment opens tracing, and the warnings in the log. */
  const open = async (environment: NodeJS.ProcessEnv) => {
    const warnings: string[] = [];
    const log = { info: () => {}, warn: (_: unknown, message: string) => warnings.push(message), error: () => {} };
    const tracing = await openConfiguredTracing(environment, log);
    await tracing?.flush(1_000);
    return { traced: tracing !== undefined, warnings };
  };
  const endpoint = 'http://127.0.0.1:4318';

  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) {
    it(`is opened by ${name}`, async () => {
      expect(await open({ [name]: endpoint })).to.deep.equal({ traced: true, warnings: [] });
      expect(await open({ [name]: '' })).to.deep.equal({ traced: false, warnings: [] });
    });
  }

  for (const variables of [
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: undefined },
  ]) {
    it(`stays closed, without a warning, with ${JSON.stringify(variables)}`, async () => {
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...variables };
      expect(await open(environment)).to.deep.equal({ traced: false, warnings: [] });
    });
  }

  for (const address of ['canary', 'canary:4317', 'ftp://user:canary@127.0.0.1']) {
    it(`stays closed, with a warning, if the collector is at ${address}`, async () => {
      const { traced, warnings } = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: address });
      expect(traced).to.equal(false);
      expect(warnings).to.deep.equal([
        'OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL: requests are not traced',
      ]);
    });
  }

  it('stays closed, with a warning, for an unsupported protocol', async () => {
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const { traced, warnings } = await open(variables);
    expect(traced).to.equal(false);
    expect(warnings).to.deep.equal([
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json: requests are not traced',
    ]);
    const both = { ...variables, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
    expect(await open(both)).to.deep.equal({ traced: true, warnings: [] });
  });
});
