import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { exchange, requestText } from '../../sdk/contract/http/socket.ts';
import { clientHeaders, Installation } from './installation.ts';

/** The headers that the service or its libraries parse, with prefixes that lead the parser to the long part. */
const beginnings: Readonly<Record<string, readonly string[]>> = {
  'Content-Type': ['application/json', 'application/json; charset=utf-8', 'a'],
  'Content-Encoding': ['gzip'],
  Authorization: ['Basic ', 'Bearer a.b.', 'a'],
  password: ['a'],
  'X-Request-Id': ['a'],
  traceparent: ['00-'],
  'If-None-Match': ['*', 'W/"a"'],
  'If-Modified-Since': ['Sun'],
  'Cache-Control': ['no-cache', 'a'],
  Accept: ['text/html', '*/*;q='],
  'Accept-Encoding': ['gzip'],
  'Accept-Language': ['en-a', 'en;q='],
  Cookie: ['a='],
  Expect: ['100-continue'],
  Connection: ['keep-alive'],
  Origin: ['https://'],
  'Access-Control-Request-Method': ['GET'],
  'Access-Control-Request-Headers': ['a'],
  'X-Forwarded-For': ['192.0.2.1'],
  'X-Forwarded-Proto': ['https'],
  'X-Forwarded-Host': ['example.com'],
  'X-Client-Address': ['192.0.2.1'],
};

const fillers = [' ', ',', ';', ' ,', ' ;', '"', ',""', ';""', '\\', '=', '.', '/', '\t', '-bb'];
const targets = [
  'POST /users',
  'GET /openapi.json',
  'OPTIONS /users',
  'GET /users?email=a@example.com',
  'GET /verify/success',
];

/** Nearly the maximum length of all headers together. */
const length = 15_000;

/**
 * How much longer than a short header a long one may keep the processor, in milliseconds. Quadratic expressions take about
 * 200 ms. The first requests also compile code.
 */
const maxAddedMs = 40;
const attempts = 5;

/** How long the main thread of a process has been executed, which other work on the machine does not change. */
const executedMs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

describe('headers of 15 KB', function () {
  this.timeout(120_000);
  let installation: Installation;
  let url = '';
  let pid = 0;
  before(async () => {
    installation = await Installation.create();
    await installation.configure({
      server: {
        host: '127.0.0.1',
        port: 0,
        adminPort: 0,
        trustProxy: true,
        cors: { origins: ['https://shop.example.com'] },
      },
      email: { type: 'outbox', directory: 'outbox', locales: ['de'] },
      throttle: { clientHeader: 'X-Client-Address' },
    });
    const serving = await installation.serve();
    ({ url } = serving);
    pid = serving.run.child.pid ?? expect.fail();
  });
  after(() => installation.dispose());

  const timeOf = async (request: string): Promise<number> => {
    const started = executedMs(pid);
    // The first one may be 100 (Continue), and the body may be compressed.
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(await exchange(url, request)) ?? [];
    expect(Number(status)).to.be.within(100, 499);
    return executedMs(pid) - started;
  };

  const expectQuick = async (what: string, long: string, plain: string): Promise<void> => {
    let more = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && more >= maxAddedMs; attempt++)
      more = (await timeOf(long)) - (await timeOf(plain));
    expect(more, `milliseconds more for ${what}`).to.be.lessThan(maxAddedMs);
  };

  for (const [name, values] of Object.entries(beginnings)) {
    it(`take no longer than short ones: ${name}`, async () => {
      const usual = {
        ...clientHeaders,
        Host: 'localhost',
        password: 'any',
        'If-None-Match': '"a"',
        'Content-Length': '2',
      };
      const others = Object.entries(usual).filter(([other]) => other !== name);
      for (const target of targets) {
        const lines = [`${target} HTTP/1.1`, ...others.map(([other, value]) => `${other}: ${value}`)];
        // An open quotation mark makes a parser search for its end again and again.
        for (const beginning of values.flatMap((value) => [value, `${value},"`]))
          for (const filler of fillers) {
            const value = `${beginning}${filler.repeat(length / filler.length)}x`;
            const long = requestText([...lines, `${name}: ${value}`], '{}');
            await expectQuick(`${target} with ${name}: ${beginning}${filler}…x`, long, requestText(lines, '{}'));
          }
      }
    });
  }
});
