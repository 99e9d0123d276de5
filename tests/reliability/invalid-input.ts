import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { clientHeaders, Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { serveMeasured, usageOf } from './resource-usage.ts';

const host = 'Host: localhost';
const authorization = `Authorization: ${clientHeaders.Authorization}`;
const json = 'Content-Type: application/json';

const randomBelow = (sides: number): number => Math.floor(Math.random() * sides);
const pick = <T>(choices: readonly T[]): T => choices[randomBelow(choices.length)]!;
const noise = (length: number): Buffer => randomBytes(randomBelow(length) + 1);

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
const kinds: readonly (() => Buffer)[] = [
  () => noise(300),
  () => message(`${pick(methods)} ${pick(targets)} HTTP/1.1`, [host, authorization]),
  () =>
    message(`${pick(methods)} ${pick(paths)} HTTP/${pick(['1.1', '1.0', '2.0', '0.9', 'x'])}`, [host, authorization]),
  () =>
    message(`GET /users?email=${encodeURIComponent(noise(80).toString('latin1'))} HTTP/1.1`, [
      host,
      authorization,
      'password: p',
    ]),
  () => message('GET /users?email=a@b.c&email=b@b.c HTTP/1.1', [host, authorization, 'password: p', 'password: q']),
  () => message('GET /verify?email=a@b.c&token=a&token=b&response_type=html HTTP/1.1', [host]),
  () => message('GET /users HTTP/1.1', [host, Buffer.concat([Buffer.from('password: '), noise(40)])]),
  () => message('GET /users HTTP/1.1', [host, `X-Long: ${'x'.repeat(randomBelow(40_000))}`]),
  () =>
    message('GET /users HTTP/1.1', [
      host,
      ...Array.from({ length: randomBelow(3_000) }, (_, index) => `X-${index}: y`),
    ]),
  () => message('GET /users HTTP/1.1', [host, host, `Host: ${noise(20).toString('hex')}`]),
  () =>
    message('GET /users HTTP/1.1', [
      host,
      `Authorization: ${pick(['Basic', 'Bearer', 'basic  ', 'Digest'])} ${noise(60).toString('base64')}`,
    ]),
  () =>
    message(
      'POST /users HTTP/1.1',
      [host, authorization, json, 'Transfer-Encoding: chunked'],
      `${noise(4).toString('hex')}\r\n${noise(60).toString('latin1')}`,
    ),
  () =>
    message(
      'POST /users HTTP/1.1',
      [host, authorization, json, 'Transfer-Encoding: chunked', 'Content-Length: 5'],
      '0\r\n\r\n',
    ),
  () =>
    message(
      'POST /users HTTP/1.1',
      [host, authorization, json, `Content-Length: ${pick(['-1', '1e3', 'x', '99999999999'])}`],
      '{}',
    ),
  () => post(noise(500)),
  () => post(pick(malformedJson)),
  () => post(pick(malformedJson).slice(0, randomBelow(40))),
  () => post(bomb, 'Content-Encoding: gzip'),
  () => post(noise(100), `Content-Encoding: ${pick(['gzip', 'deflate', 'br', 'x', ''])}`),
  () => post(gzipSync(pick(malformedJson)).subarray(0, 20), 'Content-Encoding: gzip'),
  () => post(pick([manyBrackets, manyObjects])),
  () => post(`{"email":{"address":${JSON.stringify(noise(60).toString('latin1'))}},"password":"p"}`),
  () =>
    post(
      '{}',
      `Content-Type: ${pick(['text/plain', 'application/json; charset=latin1', 'x', '/', 'multipart/form-data'])}`,
    ),
];
/** The generators of expensive requests, which are chosen less often. */
const expensive = new Set([17, 20]);

const nextKind = (): (() => Buffer) => {
  const index = randomBelow(kinds.length);
  return expensive.has(index) && randomBelow(20) > 0 ? nextKind() : kinds[index]!;
};

/** Sends bytes, half-closes, and resolves with everything that was received until the connection was closed. */
const exchange = (url: URL, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(url.port), url.hostname, () => socket.end(bytes));
    const timeout = setTimeout(() => socket.destroy(), 10_000);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The service may close the connection before it has read everything.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timeout);
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
  });

/** A round is one invalid request. */
export const invalidInput: Guarantee = {
  name: 'invalid input is refused without a 500, a crash or a memory leak',
  rounds: { short: 10_000, long: 200_000 },
  timeoutMs: 120_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    try {
      await installation.configure();
      const serving = await serveMeasured(installation);
      const url = new URL(serving.url);
      const statuses = new Map<string, number>();
      let left = rounds;
      const send = async (until: number): Promise<void> => {
        while (left > until) {
          left -= 1;
          const bytes = nextKind()();
          const response = await exchange(url, bytes);
          for (const [, status = ''] of response.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
            expect(Number(status), bytes.toString('latin1').slice(0, 300)).to.be.lessThan(500);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        }
      };
      const together = (until: number) => Promise.all(Array.from({ length: 32 }, () => send(until)));
      await together(rounds * 0.8);
      const before = (await usageOf(serving)).memory;
      await together(0);
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
