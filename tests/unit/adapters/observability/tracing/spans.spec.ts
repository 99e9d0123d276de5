import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import type { TracedRequest } from '../../../../../adapters/kit/request-tracer.ts';
import { Spans } from '../../../../../adapters/observability/tracing/spans.ts';
import { Fault } from '../../../../../application/fault.ts';
import { failure } from '../../../../../domain/failure.ts';
import { rejection } from '../../../../support/rejection.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';
const request: TracedRequest = { method: 'GET', route: '/users', scheme: 'http', headers: {} };

const error = 2;

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const spans = new Spans(provider.getTracer('test'));
  const store = spans.around('outside', 'UserStore');
  const messages = spans.around('inside');
  afterEach(() => exporter.reset());

  const finished = (name: string) => exporter.getFinishedSpans().find((each) => each.name === name);
  const follow = (headers: TracedRequest['headers'], work: () => Promise<unknown> = async () => {}) =>
    spans.follow({ ...request, headers }, async () => {
      await work();
      return 200;
    });

  it('tell of a failure by its kind only', async () => {
    const unavailable = new Fault('store_unavailable', 'canary', { cause: new Error('canary') });
    const failing = [
      [unavailable, 'store_unavailable'],
      [new Error('canary'), 'unexpected'],
      ['canary', 'unexpected'],
    ] as const;
    for (const [thrown, kind] of failing) {
      await spans.follow(request, async () => {
        const caught = await rejection(store('find', () => Promise.reject(thrown)));
        expect(caught).to.equal(thrown);
        return 503;
      });
      expect(finished('UserStore find')).to.deep.include({ status: { code: error }, events: [] });
      expect(finished('UserStore find')?.attributes).to.deep.equal({ 'error.type': kind });
      expect(finished('GET /users')).to.deep.include({ status: { code: error } });
      expect(finished('GET /users')?.attributes).to.include({ 'http.response.status_code': 503, 'error.type': '503' });
      expect(
        JSON.stringify(exporter.getFinishedSpans().map(({ attributes, events }) => ({ attributes, events }))),
      ).not.to.include('canary');
      exporter.reset();
    }
  });

  it('take a refusal for an answer, with its code', async () => {
    await follow({}, async () => {
      const refused = left(failure('wrong_password'));
      expect(await messages('GetUser', async () => refused)).to.equal(refused);
      await messages('CreateUser', async () => right('a user'));
    });
    expect(finished('GetUser')).to.deep.include({
      status: { code: 0 },
      attributes: { 'latchkey.refused': 'wrong_password' },
    });
    expect(finished('CreateUser')).to.deep.include({ status: { code: 0 }, attributes: {} });
  });

  it('are under the one around them, also where several run at once', async () => {
    await follow({}, () =>
      Promise.all(
        ['one', 'two'].map((name) =>
          messages(name, () => store(`${name}'s`, () => new Promise((resolve) => setTimeout(resolve, 1)))),
        ),
      ),
    );
    for (const name of ['one', 'two']) {
      expect(finished(`UserStore ${name}'s`)?.parentSpanContext?.spanId).to.equal(finished(name)?.spanContext().spanId);
      expect(finished(name)?.parentSpanContext?.spanId).to.equal(finished('GET /users')?.spanContext().spanId);
    }
  });

  it('are none outside of a request', async () => {
    expect(await store('check', async () => 'well')).to.equal('well');
    expect(exporter.getFinishedSpans()).to.deep.equal([]);
  });

  it('go on with the trace of the caller, and its state', async () => {
    await follow({ traceparent: `00-${trace}-${span}-01`, tracestate: 'vendor=1' });
    const served = finished('GET /users');
    expect(served?.spanContext()).to.include({ traceId: trace });
    expect(served?.spanContext().traceState?.serialize()).to.equal('vendor=1');
    expect(served?.parentSpanContext).to.include({ spanId: span, isRemote: true });
  });

  it('are kept by nobody when the caller does not sample', async () => {
    await follow({ traceparent: `00-${trace}-${span}-00` }, () => store('find', async () => undefined));
    expect(exporter.getFinishedSpans()).to.deep.equal([]);
  });

  for (const [what, traceparent] of [
    ['is nonsense', 'canary'],
    ['names no trace', `00-${'0'.repeat(32)}-${span}-01`],
    ['names no span', `00-${trace}-${'0'.repeat(16)}-01`],
    ['is of a version that can not be', `ff-${trace}-${span}-01`],
    ['was sent twice', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ] as const) {
    it(`begin a trace of their own when that of the caller ${what}`, async () => {
      const ids: string[] = [];
      await spans.follow({ ...request, headers: { traceparent } }, async (id) => {
        ids.push(id);
        return 200;
      });
      expect(finished('GET /users')?.parentSpanContext).to.equal(undefined);
      expect(ids).to.deep.equal([finished('GET /users')?.spanContext().traceId]);
      expect(ids).not.to.include(trace);
    });
  }

  it('call a method that is none by no name of the caller', async () => {
    await spans.follow({ ...request, method: 'PROPFIND', route: undefined }, async () => 405);
    expect(finished('HTTP')?.attributes).to.deep.equal({
      'http.request.method': '_OTHER',
      'http.response.status_code': 405,
      'url.scheme': 'http',
    });
  });
});
