import { expect } from 'chai';
import Koa from 'koa';
import { protocolReply } from '../../../adapters/http/api/refusal.ts';
import { type StaticContent, staticReply } from '../../../adapters/http/openapi/static-resource.ts';
import { type Listener, listen } from '../../../adapters/http/server/listener.ts';
import { send } from '../../../adapters/http/server/response.ts';
import { exchange, requestText, responsesIn } from '../../../sdk/contract/http/socket.ts';
import { withDescribedService } from './described-service.ts';

const paths = [
  '/openapi.json',
  '/openapi.yaml',
  '/swagger',
  '/swagger/assets/swagger-ui.min.css',
  '/swagger/assets/swagger-ui-bundle.js',
  '/swagger/assets/swagger-ui-standalone-preset.js',
  '/swagger/assets/favicon.png',
];

describe('the static documents of the service', () => {
  const service = withDescribedService();

  for (const path of paths)
    it(`are sent again only if they have changed: ${path}`, async () => {
      const address = service().url + path;
      const first = await fetch(address);
      const [tag = '', content] = [first.headers.get('etag') ?? '', await first.text()];
      expect(tag).to.match(/^"[\w-]{20,}"$/);
      const known = [tag, `W/${tag}`, `"another", ${tag}`, '*'];
      for (const condition of known) {
        const response = await fetch(address, { headers: { 'If-None-Match': condition } });
        expect(response.status, condition).to.equal(304);
        expect(await response.text()).to.equal('');
        expect(response.headers.get('etag')).to.equal(tag);
        for (const name of ['cache-control', 'access-control-allow-origin'])
          expect(response.headers.get(name), name).to.equal(first.headers.get(name));
        for (const name of ['content-type', 'content-length']) expect(response.headers.has(name), name).to.equal(false);
      }
      for (const condition of ['"another"', tag.slice(1, -1), `"${tag.slice(2)}`, '']) {
        const response = await fetch(address, { headers: { 'If-None-Match': condition } });
        expect(response.status, condition).to.equal(200);
        expect(await response.text()).to.equal(content);
      }
      const head = await fetch(address, { method: 'HEAD' });
      expect(head.status).to.equal(200);
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control'])
        expect(head.headers.get(name), name).to.equal(first.headers.get(name)).and.not.equal(null);
    });

  for (const path of paths.filter((path) => !path.endsWith('.png')))
    it(`are compressed as the client accepts: ${path}`, async () => {
      const get = async (accepted: string) => {
        const response = await fetch(service().url + path, { headers: { 'Accept-Encoding': accepted } });
        const { headers } = response;
        const [encoding, tag, vary] = ['content-encoding', 'etag', 'vary'].map((name) => headers.get(name));
        return { encoding, tag, vary, length: Number(headers.get('content-length')), text: await response.text() };
      };
      const plain = await get('identity');
      expect(plain).to.include({ encoding: null, vary: 'Accept-Encoding' });
      const brotli = await get('gzip, deflate, br, zstd');
      const gzip = await get('gzip, br;q=0');
      expect(brotli).to.include({ encoding: 'br', text: plain.text, vary: 'Accept-Encoding' });
      expect(gzip).to.include({ encoding: 'gzip', text: plain.text, vary: 'Accept-Encoding' });
      expect(new Set([plain.tag, brotli.tag, gzip.tag]).size).to.equal(3);
      for (const { length } of [brotli, gzip]) expect(length).to.be.lessThan(plain.length * 0.6);
    });

  it('are complete for pipelined requests', async () => {
    const texts = paths.filter((path) => !path.endsWith('.png'));
    const bytes = texts.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join('');
    const last = requestText(['HEAD /swagger HTTP/1.1', 'Host: localhost']);
    const received = await exchange(service().url, bytes, bytes, last);
    const responses = responsesIn(received.slice(0, received.lastIndexOf('HTTP/1.1 200')));
    expect(responses).to.have.lengthOf(2 * texts.length);
    for (const [index, path] of [...texts, ...texts].entries()) {
      const alone = await (await fetch(service().url + path)).text();
      expect(responses[index]?.text === alone, path).to.equal(true);
    }
  });
});

describe('staticReply', () => {
  let listener: Listener;
  const serve = async (render: () => StaticContent | Promise<StaticContent>): Promise<string> => {
    const application = new Koa();
    application.silent = true;
    const answer = staticReply(render);
    application.use(async (ctx) => send(ctx, await answer(ctx.request)));
    listener = await listen(application.callback(), { host: '127.0.0.1', port: 0, tls: null }, protocolReply);
    return listener.url;
  };
  afterEach(() => listener.stop(0));

  it('renders once for all concurrent and later requests', async () => {
    let rendered = 0;
    const url = await serve(async () => {
      rendered += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { headers: { 'Content-Type': 'text/plain' }, body: 'as it is' };
    });
    const ask = async (method: string) => (await fetch(url, { method })).text();
    expect(await Promise.all(Array.from({ length: 20 }, () => ask('GET')))).to.deep.equal(Array(20).fill('as it is'));
    await ask('HEAD');
    expect(await ask('GET')).to.equal('as it is');
    expect(rendered).to.equal(1);
  });

  it('renders again after a failure', async () => {
    let fails = true;
    const url = await serve(() => {
      if (fails) throw new Error('not now');
      return { headers: {}, body: 'as it is' };
    });
    expect((await fetch(url)).status).to.equal(500);
    fails = false;
    expect(await (await fetch(url)).text()).to.equal('as it is');
  });
});
