import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { clientHeaders, Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';
import { serveMeasured, usageOf } from './resource-usage.ts';

/** The clients that send requests at the same time. */
const concurrency = 32;

const host = 'Host: localhost';
const authorization = `Authorization: ${clientHeaders.Authorization}`;
const json = 'Content-Type: application/json';

const noise = (random: RandomStream, length: number): Buffer => random.bytes(random.below(length) + 1);

const message = (start: string, headers: readonly (string | Buffer)[], body: Buffer | string = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`${start}\r\n`),
    ...headers.map((header) => Buffer.concat([Buffer.from(header), Buffer.from('\r\n')])),
    Buffer.from('\r\n'),
    Buffer.from(body),
  ]);

const post = (body: Buffer | string, ...headers: (string | Buffer)[]): Buffer =>
  message(
    'POST /users HTTP/1.1',
    [host, authorization, json, `Content-Length: ${Buffer.byteLength(body)}`, ...headers],
    body,
  );

const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));
const manyBrackets = '['.repeat(200_000);
const manyObjects = '{"a":'.repeat(200_000);

const paths = ['/users', '/verify', '/verify/reset', '/verify/success', '/', '/swagger', '/openapi.json', '/nowhere'];
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'QUERY', 'LINK', 'get', 'G\0T'];
const targets = [
  'http://[',
  '*',
  '//',
  '/%',
  '/%ff',
  '/users?email=%',
  '/users?email[]=1',
  'a',
  '/\u00ff',
  '/..',
  '/users#x',
  '//a@[b#',
];
const malformedJson = [
  '{"email":{"address":"a@b.c"},"password":"p","__proto__":{"x":1}}',
  '{"email":{"address":"a@b.c"},"password":"p","a":{"__proto__":null}}',
  '{"email":{"address":"a@b.c"},"password":"p","constructor":{"prototype":{"x":1}}}',
  '{"email":{"address":"a@b.c"},"email":{"address":"b@b.c"},"password":"p"}',
  '{"email":{"address":"a@b.c"},"password":"p","n":1e400}',
  '{"email":{"address":"a@b.c"},"password":"p","n":9007199254740993}',
  '{"email":{"address":"a@b.c"},"password":"\\ud800"}',
  '{"email":[],"password":{}}',
  '{"email":{"toString":1},"password":"p"}',
  'null',
  '"',
  '{"a":1,}',
  '\ufeff{}',
];

/** Generators of invalid requests. */
const kinds: readonly ((random: RandomStream) => Buffer)[] = [
  (random) => noise(random, 300),
  (random) => message(`${random.pick(methods)} ${random.pick(targets)} HTTP/1.1`, [host, authorization]),
  (random) =>
    message(`${random.pick(methods)} ${random.pick(paths)} HTTP/${random.pick(['1.1', '1.0', '2.0', '0.9', 'x'])}`, [
      host,
      authorization,
    ]),
  (random) =>
    message(`GET /users?email=${encodeURIComponent(noise(random, 80).toString('latin1'))} HTTP/1.1`, [
      host,
      authorization,
      'password: p',
    ]),
  () => message('GET /users?email=a@b.c&email=b@b.c HTTP/1.1', [host, authorization, 'password: p', 'password: q']),
  () => message('GET /verify?email=a@b.c&token=a&token=b&response_type=html HTTP/1.1', [host]),
  (random) => message('GET /users HTTP/1.1', [host, Buffer.concat([Buffer.from('password: '), noise(random, 40)])]),
  (random) => message('GET /users HTTP/1.1', [host, `X-Long: ${'x'.repeat(random.below(40_000))}`]),
  (random) =>
    message('GET /users HTTP/1.1', [
      host,
      ...Array.from({ length: random.below(3_000) }, (_, index) => `X-${index}: y`),
    ]),
  (random) => message('GET /users HTTP/1.1', [host, host, `Host: ${noise(random, 20).toString('hex')}`]),
  (random) =>
    message('GET /users HTTP/1.1', [
      host,
      `Authorization: ${random.pick(['Basic', 'Bearer', 'basic  ', 'Digest'])} ${noise(random, 60).toString('base64')}`,
    ]),
  (random) =>
    message(
      'POST /users HTTP/1.1',
      [host, authorization, json, 'Transfer-Encoding: chunked'],
      `${noise(random, 4).toString('hex')}\r\n${noise(random, 60).toString('latin1')}`,
    ),
  () =>
    message(
      'POST /users HTTP/1.1',
      [host, authorization, json, 'Transfer-Encoding: chunked', 'Content-Length: 5'],
      '0\r\n\r\n',
    ),
  (random) =>
    message(
      'POST /users HTTP/1.1',
      [host, authorization, json, `Content-Length: ${random.pick(['-1', '1e3', 'x', '99999999999'])}`],
      '{}',
    ),
  (random) => post(noise(random, 500)),
  (random) => post(random.pick(malformedJson)),
  (random) => post(random.pick(malformedJson).slice(0, random.below(40))),
  () => post(bomb, 'Content-Encoding: gzip'),
  (random) => post(noise(random, 100), `Content-Encoding: ${random.pick(['gzip', 'deflate', 'br', 'x', ''])}`),
  (random) => post(gzipSync(random.pick(malformedJson)).subarray(0, 20), 'Content-Encoding: gzip'),
  (random) => post(random.pick([manyBrackets, manyObjects])),
  (random) => post(`{"email":{"address":${JSON.stringify(noise(random, 60).toString('latin1'))}},"password":"p"}`),
  (random) =>
    post(
      '{}',
      `Content-Type: ${random.pick(['text/plain', 'application/json; charset=latin1', 'x', '/', 'multipart/form-data'])}`,
    ),
];
/** The generators of expensive requests, which are chosen less often. */
const expensive = new Set([17, 20]);

const invalidRequest = (random: RandomStream): Buffer => {
  const index = random.below(kinds.length);
  return expensive.has(index) && random.below(20) > 0 ? invalidRequest(random) : kinds[index]!(random);
};

/** How long a client waits for an answer to what may be a part of a request. */
const answerMs = 500;

/**
 * Sends bytes, half-closes, and resolves with everything that was received until the connection was closed. Most clients
 * wait for an answer first, because the service drops the requests of a client that has closed its side.
 */
const exchange = (url: URL, bytes: Buffer, waits: boolean): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(url.port), url.hostname, () => (waits ? socket.write(bytes) : socket.end(bytes)));
    const timeouts = [setTimeout(() => socket.end(), answerMs), setTimeout(() => socket.destroy(), 10_000)];
    socket.once('data', () => socket.end());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The service may close the connection before it has read everything.
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const timeout of timeouts) clearTimeout(timeout);
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
  });

/** A round is one invalid request. */
export const invalidInput: Guarantee = {
  name: 'invalid input is refused without a 500, a crash or a memory leak',
  rounds: { short: 10_000, long: 200_000 },
  timeoutMs: 240_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    try {
      await installation.configure();
      const serving = await serveMeasured(installation);
      const url = new URL(serving.url);
      const statuses = new Map<string, number>();
      const send = async (client: number, from: number, until: number): Promise<void> => {
        for (let request = from + client; request < until; request += concurrency) {
          const ofRequest = random.stream(request);
          const bytes = invalidRequest(ofRequest);
          const response = await exchange(url, bytes, ofRequest.chance(0.9));
          for (const [, status = ''] of response.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
            expect(Number(status), bytes.toString('latin1').slice(0, 300)).to.be.lessThan(500);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        }
      };
      const together = (from: number, until: number) =>
        Promise.all(Array.from({ length: concurrency }, (_, client) => send(client, from, until)));
      const first = Math.floor(rounds * 0.8);
      await together(0, first);
      const before = (await usageOf(serving)).memory;
      await together(first, rounds);
      const growth = (await usageOf(serving)).memory - before;
      expect(growth, 'growth of memory in MiB').to.be.lessThan(64);
      const caller = new Caller(serving.url);
      expect((await caller.call('GET', at('nobody@example.com'), undefined, { password: 'p' }))?.status).to.equal(404);
      caller.close();
      expect(
        serving.run.log.filter(({ level }) => Number(level) >= 50),
        'errors in the log',
      ).to.deep.equal([]);
      expect(await serving.stop()).to.equal(0);
      const seen = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
      return `${rounds} requests (${seen.join(', ')}), no 5xx, memory ${growth.toFixed(1)} MiB more`;
    } finally {
      await installation.dispose();
    }
  },
};
