import { expect } from 'chai';
import type { UserJson } from '../../sdk/contract/http/api-response.ts';
import { eventually } from '../support/eventually.ts';
import { type CollectedSpan, Collector } from './collector.ts';
import { clientHeaders, createUser, eachWithInstallation, readUser } from './installation.ts';

const clientTraceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpanId = '00f067aa0ba902b7';
const traceparent = `00-${clientTraceId}-${clientSpanId}-01`;

/** The names of spans, indented below their parents. */
const treeOf = (spans: readonly CollectedSpan[], parent: string | undefined, indent = ''): readonly string[] =>
  spans
    .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
    .flatMap(({ name, spanId }) => [`${indent}${name}`, ...treeOf(spans, spanId, `${indent}  `)]);

describe('traces', () => {
  const installation = eachWithInstallation();
  let collector: Collector;
  beforeEach(async () => {
    collector = await Collector.start();
  });
  afterEach(() => collector.stop());

  const json = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  const spansOf = (trace: string): readonly CollectedSpan[] =>
    collector.spans.filter(({ traceId }) => traceId === trace);

  it('contain a span for the request, its message and each port call, and no values', async () => {
    await installation().configure({ logging: { requests: 'all' } });
    const { run, url, adminUrl, stop } = await installation().serve(json());
    expect(await createUser(url, 'confidential@example.com', 'confidential-password')).to.equal(201);
    const headers = { ...clientHeaders, password: 'confidential-password', 'User-Agent': 'confidential-agent' };
    const target = `${url}/verify?email=confidential@example.com`;
    const sent = await fetch(target, { method: 'POST', headers: { ...headers, traceparent } });
    expect(sent.status).to.equal(200);
    const { email }: UserJson = JSON.parse(await sent.text());
    expect(await readUser(url, 'confidential@example.com', 'confidential-wrong')).to.equal(401);
    for (const path of [
      '/users/confidential@example.com?confidential',
      '/verify%3Femail=confidential@example.com&token=confidential',
    ])
      expect((await fetch(url + path, { headers })).status).to.equal(404);
    // Health checks are not traced.
    expect((await fetch(`${adminUrl}/healthcheck`)).status).to.equal(200);
    expect(await stop()).to.equal(0);

    const spans = spansOf(clientTraceId);
    expect(treeOf(spans, clientSpanId)).to.deep.equal([
      'POST /verify',
      '  SendVerification',
      '    UserStore find',
      '    PasswordHash verify',
      '    UserStore replace',
      '    Mailer send',
    ]);
    const [request, message, store] = ['POST /verify', 'SendVerification', 'UserStore find'].map((name) =>
      spans.find((span) => span.name === name),
    );
    expect(request?.kind).to.equal(2);
    expect(request?.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.route': '/verify',
      'url.path': '/verify',
      'url.scheme': 'http',
    });
    expect(message?.kind).to.equal(1);
    expect(store?.kind).to.equal(3);
    expect(request?.resource).to.include({ 'service.name': 'latchkey' }).and.include.keys('service.version');

    const roots = collector.spans.filter(({ parentSpanId }) => !parentSpanId).map(({ name }) => name);
    expect(roots.sort()).to.deep.equal(['GET', 'GET', 'GET /users', 'POST /users']);
    const refused = collector.spans.find(({ name }) => name === 'GetUser');
    expect(refused?.attributes).to.deep.equal({ 'latchkey.refused': 'wrong_password' });

    const line = run.log.find(({ msg, route }) => msg === 'request' && route === '/verify');
    expect(line?.request).to.equal(clientTraceId);
    const readSpan = collector.spans.find(({ name }) => name === 'GET /users');
    expect(run.log.some(({ request: id }) => id === readSpan?.traceId)).to.equal(true);

    const exportedText = collector.requests.map(({ body }) => body.toString()).join();
    expect(exportedText).not.to.match(/confidential/);
    expect(exportedText).not.to.include(email.verificationToken);
  });

  it('are exported by every worker', async () => {
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const { url, stop } = await installation().serve({ ...json(), OTEL_SERVICE_NAME: 'accounts' });
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    const processes = (): ReadonlySet<unknown> =>
      new Set(collector.spans.map(({ resource }) => resource['service.instance.id']));
    const request = () =>
      fetch(`${url}/users?email=jane@example.com`, {
        headers: { ...clientHeaders, password: 'correct horse', Connection: 'close', traceparent },
      });
    const responses = await Promise.all(Array.from({ length: 24 }, request));
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(await stop()).to.equal(0);
    expect(processes().size).to.equal(2);
    for (const { resource } of collector.spans) expect(resource['service.name']).to.equal('accounts');
    const requests = spansOf(clientTraceId).filter(({ name }) => name === 'GET /users');
    expect(requests).to.have.lengthOf(24);
    for (const { spanId } of requests)
      expect(treeOf(spansOf(clientTraceId), spanId)).to.deep.equal([
        'GetUser',
        '  UserStore find',
        '  PasswordHash verify',
      ]);
  });

  it('do not affect requests while the collector is down, and are exported after it recovers', async () => {
    await installation().configure({ operationTimeout: '1s' });
    const { port } = collector;
    await collector.stop();
    const { run, url, stop } = await installation().serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:confidential-secret@127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=confidential-tenant',
      // Long enough for one attempt.
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    const lines = (text: string): number => run.log.filter(({ msg }) => String(msg).includes(text)).length;
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    await eventually(async () => expect(lines('cannot be exported')).to.equal(1), 5_000);

    // The client socket of a failed export may use the port for a moment.
    collector = await eventually(() => Collector.start(port), 5_000);
    collector.status = 400;
    await eventually(async () => {
      expect(await readUser(url, 'jane@example.com')).to.equal(200);
      expect(collector.requests).to.have.lengthOf.at.least(3);
    }, 5_000);
    collector.status = 200;
    await eventually(async () => {
      expect(await readUser(url, 'jane@example.com')).to.equal(200);
      expect(lines('can be exported again')).to.equal(1);
    }, 5_000);
    expect(lines('cannot be exported'), 'one line for an outage').to.equal(1);
    const exported = collector.requests.at(-1);
    expect(exported?.url).to.equal('/v1/traces');
    expect(exported?.headers).to.include({
      'content-type': 'application/x-protobuf',
      'x-tenant': 'confidential-tenant',
    });
    expect(exported?.body.toString('latin1')).to.include('GET /users');

    collector.status = undefined;
    expect(await readUser(url, 'jane@example.com')).to.equal(200);
    const stopping = performance.now();
    expect(await stop()).to.equal(0);
    expect(performance.now() - stopping).to.be.below(3_000);
    expect(run.stdout + run.stderr).not.to.include('confidential');
  });
});
