import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import { Spans } from '../../../../../adapters/observability/tracing/spans.ts';
import { Fault } from '../../../../../application/fault.ts';
import type { TracedRequest } from '../../../../../application/ports/request-tracer.ts';
import { failure } from '../../../../../domain/failure.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';
const request: TracedRequest = { method: 'GET', route: '/users', scheme: 'http', headers: {} };

const error = 2;

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const spans = new Spans(provider.getTracer('test'));
  const store = spans.interceptor('client', 'UserStore');
  const messages = spans.interceptor('internal');
  afterEach(() => exporter.reset());

  const finished = (name: string) => exporter.getFinishedSpans().find((each) => each.name === name);
  const follow = (headers: TracedRequest['headers'], work: () => Promise<unknown> = async () => {}) =>
    spans.traceRequest({ ...request, headers }, async () => {
      await work();
      return 200;
    });

  it('record a failure by its code only', async () => {
    const unavailable = new Fault('store_unavailable', 'secret', { cause: new Error('secret') });
    const failing = [
      [unavailable, 'store_unavailable'],
      [new Error('secret'), 'unexpected'],
      ['secret', 'unexpected'],
    ] as const;
    for (const [thrown, kind] of failing) {
      await spans.traceRequest(request, async () => {
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
      ).not.to.include('secret');
      exporter.reset();
    }
  });

  it('record a failure of a use case as an attribute and not as an error', async () => {
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

  it('are children of the enclosing span, also when several run concurrently', async () => {
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

  it('are not created outside of a request', async () => {
    expect(await store('check', async () => 'available')).to.equal('available');
    expect(exporter.getFinishedSpans()).to.deep.equal([]);
  });

  it('continue the trace of the client with its trace state', async () => {
    await follow({ traceparent: `00-${trace}-${span}-01`, tracestate: 'vendor=1' });
    const served = finished('GET /users');
    expect(served?.spanContext()).to.include({ traceId: trace });
    expect(served?.spanContext().traceState?.serialize()).to.equal('vendor=1');
    expect(served?.parentSpanContext).to.include({ spanId: span, isRemote: true });
  });

  it('are not recorded when the client does not sample', async () => {
    await follow({ traceparent: `00-${trace}-${span}-00` }, () => store('find', async () => undefined));
    expect(exporter.getFinishedSpans()).to.deep.equal([]);
  });

  for (const [what, traceparent] of [
    ['is malformed', 'malformed'],
    ['has an all-zero trace id', `00-${'0'.repeat(32)}-${span}-01`],
    ['has an all-zero span id', `00-${trace}-${'0'.repeat(16)}-01`],
    ['has an invalid version', `ff-${trace}-${span}-01`],
    ['was sent twice', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ] as const) {
    it(`start a new trace when the traceparent ${what}`, async () => {
      const ids: string[] = [];
      await spans.traceRequest({ ...request, headers: { traceparent } }, async (id) => {
        ids.push(id);
        return 200;
      });
      expect(finished('GET /users')?.parentSpanContext).to.equal(undefined);
      expect(ids).to.deep.equal([finished('GET /users')?.spanContext().traceId]);
      expect(ids).not.to.include(trace);
    });
  }

  it('report an unknown method as _OTHER', async () => {
    await spans.traceRequest({ ...request, method: 'PROPFIND', route: undefined }, async () => 405);
    expect(finished('HTTP')?.attributes).to.deep.equal({
      'http.request.method': '_OTHER',
      'http.response.status_code': 405,
      'url.scheme': 'http',
    });
  });
});
