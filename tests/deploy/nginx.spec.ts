import { readdir, readFile } from 'node:fs/promises';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { clientHeaders, Installation } from '../process/installation.ts';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { eventually } from '../support/eventually.ts';
import { isInstalled, startNginx } from './nginx.ts';

/** The nginx directives and the service configuration in docs/operations.md. */
const blocks = fencedBlocksOf('operations.md');
const shown = blocks.findIndex(({ language }) => language === 'nginx');
const directives = blocks[shown]?.text ?? '';
const { server } = parse(blocks[shown + 1]?.text ?? '');

interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

/** Source and target of a request; all addresses of 127.0.0.0/8 are local. */
interface Way {
  readonly from: string;
  readonly port: number;
}

const ask = ({ from, port }: Way, method: string, path: string, headers: OutgoingHttpHeaders, body?: object) =>
  new Promise<HttpResponse>((resolve, reject) => {
    const all = { ...clientHeaders, Host: 'accounts.example.net', ...headers };
    const options = { host: '127.0.0.1', port, localAddress: from, method, path, agent: false, headers: all };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });

let users = 0;

/** Sends a password for an unknown user. */
const guess = (
  way: Way,
  headers: OutgoingHttpHeaders = {},
  email = `user-${++users}@example.com`,
): Promise<HttpResponse> => ask(way, 'GET', `/users?email=${email}`, { password: 'a guess', ...headers });

let forged = 0;

/** Random forged headers of a client. */
const forgery = (): OutgoingHttpHeaders => ({
  'X-Forwarded-For': `198.51.100.${++forged % 256}, 127.0.0.1`,
  'X-Forwarded-Host': 'evil.example.com',
  'X-Forwarded-Proto': 'https',
  'X-Real-IP': '198.51.100.1',
  Forwarded: 'for=198.51.100.1;host=evil.example.com',
});

describe('nginx with the configuration of docs/operations.md', () => {
  const ends: (() => Promise<void>)[] = [];
  before(function () {
    if (!isInstalled()) skipSuite(this, "the example for nginx needs it, from Debian's package nginx (there is none)");
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const proxyTo = async (url: string | number): Promise<number> => {
    const upstream = typeof url === 'number' ? `http://127.0.0.1:${url}` : url;
    expect(directives).to.include('http://127.0.0.1:8080');
    const { port, stop } = await startNginx(directives.replace('http://127.0.0.1:8080', upstream));
    ends.push(stop);
    return port;
  };

  /** The service with the documented configuration, behind nginx. */
  const start = async (different: object = {}) => {
    const installation = await Installation.create();
    ends.push(() => installation.dispose());
    await installation.configure({
      server: { ...server, port: 0, adminPort: 0, ...different },
      throttle: { clientFailures: 3, failures: 100 },
      audit: { file: 'audit.jsonl' },
    });
    const { url, run, stop } = await installation.serve();
    const audited = async (): Promise<readonly string[]> => {
      await stop();
      const lines = (await readFile(join(installation.folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n');
      return lines.map((line) => String(JSON.parse(line).address));
    };
    return { port: await proxyTo(url), direct: Number(new URL(url).port), run, audited, installation };
  };

  it('forwards the client address, regardless of the headers that the client sends', async () => {
    const { port, run, audited } = await start();
    expect(run.log.filter(({ msg }) => String(msg).includes('trustProxy'))).to.deep.equal([]);
    const callers = ['127.0.0.5', '127.0.0.6'];
    for (const from of callers)
      for (const headers of [{}, forgery(), { 'X-Forwarded-For': '"nobody' }, { 'X-Forwarded-For': ['', ','] }])
        expect((await guess({ from, port }, headers)).status).to.be.oneOf([404, 429]);
    expect(await audited()).to.deep.equal(callers.flatMap((from) => new Array<string>(4).fill(from)));
  });

  it('counts wrong passwords for the client that sent them', async () => {
    const { port } = await start();
    const statuses = [];
    for (let guesses = 0; guesses < 6; guesses++)
      statuses.push((await guess({ from: '127.0.0.5', port }, forgery())).status);
    expect(statuses).to.deep.equal([404, 404, 404, 429, 429, 429]);
    expect((await guess({ from: '127.0.0.6', port }, forgery())).status).to.equal(404);
  });

  it('is the only trusted proxy: forged headers of direct clients are ignored', async () => {
    const { port, direct, audited } = await start();
    const statuses = [];
    for (let guesses = 0; guesses < 4; guesses++)
      statuses.push((await guess({ from: '127.0.0.9', port: direct }, forgery())).status);
    expect(statuses).to.deep.equal([404, 404, 404, 429]);
    expect((await guess({ from: '127.0.0.8', port }, {})).status).to.equal(404);
    expect(await audited()).to.deep.equal([...new Array<string>(4).fill('127.0.0.9'), '127.0.0.8']);
  });

  it('determines the host of links without publicUrl, regardless of the headers that the client sends', async () => {
    const { port, installation } = await start({ publicUrl: undefined });
    const way = { from: '127.0.0.5', port };
    const user = { email: { address: 'jane@example.com' }, password: 'correct horse' };
    expect((await ask(way, 'POST', '/users', forgery(), user)).status).to.equal(201);
    const headers = { password: user.password, ...forgery() };
    expect((await ask(way, 'POST', '/verify?email=jane@example.com', headers)).status).to.equal(200);
    const outbox = join(installation.folder, 'outbox');
    const [name = ''] = (await readdir(outbox)).filter((file) => file.endsWith('.eml'));
    const mail = await readFile(join(outbox, name), 'utf8');
    expect(mail).to.include('http://accounts.example.net/verify');
    expect(mail).to.not.include('evil');
  });

  it('logs no queries with the format for it', async () => {
    const { port: upstream, installation } = await start();
    const log = join(installation.folder, 'access.log');
    const format = blocks.findLast(({ language }) => language === 'nginx')?.text ?? '';
    const toService = `location / { proxy_pass http://127.0.0.1:${upstream}; }`;
    const { port, stop } = await startNginx(toService, `${format}access_log ${log} no_query;`);
    ends.push(stop);
    await ask({ from: '127.0.0.5', port }, 'GET', '/verify?email=jane@example.com&token=secret', {});
    await eventually(async () => expect(await readFile(log, 'utf8')).to.include('"GET /verify HTTP/1.1" 404'), 5_000);
    expect(await readFile(log, 'utf8')).to.not.match(/jane|secret/);
  });

  for (const [what, trustProxy] of [
    ['counted', 2],
    ['named', ['127.0.0.1']],
  ] as const)
    it(`can be behind another proxy, with both being ${what}`, async () => {
      const { port: inner, audited } = await start({ trustProxy });
      const port = await proxyTo(inner);
      const statuses = [];
      for (let guesses = 0; guesses < 4; guesses++)
        statuses.push((await guess({ from: '127.0.0.5', port }, forgery())).status);
      expect(statuses).to.deep.equal([404, 404, 404, 429]);
      expect((await guess({ from: '127.0.0.6', port }, forgery())).status).to.equal(404);
      expect(await audited()).to.deep.equal([...new Array<string>(4).fill('127.0.0.5'), '127.0.0.6']);
    });
});
