import { createServer, type OutgoingHttpHeaders, request } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import Koa from 'koa';
import { type ProxyTrust, TrustedProxies } from '../../../../../adapters/http/server/trusted-proxies.ts';

/** The client of a request as the application sees it. */
interface Seen {
  readonly ip: string;
  readonly ips: readonly string[];
  readonly host: string;
  readonly protocol: string;
}

/** Sends a request from 127.0.0.1. */
const ask = (port: number, headers: OutgoingHttpHeaders): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent: false, headers });
    sent.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    sent.end();
  });

/** Runs a test with a server that trusts these proxies. It listens on `::`, so that it sees mapped IPv4 addresses. */
const serving = async (trust: ProxyTrust | null, test: (port: number) => Promise<void>): Promise<void> => {
  const app = new Koa();
  if (trust !== null) new TrustedProxies(trust).addTo(app);
  app.use(({ ip, ips, host, protocol, res }) => {
    res.end(JSON.stringify({ ip, ips, host, protocol }));
  });
  const server = createServer(app.callback()).listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
    await test(address.port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
};

const addressOf = async (trust: ProxyTrust | null, told?: string | string[]): Promise<string> => {
  let address = '';
  await serving(trust, async (port) => {
    address = (await ask(port, told === undefined ? {} : { 'X-Forwarded-For': told })).ip;
  });
  return address;
};

const proxy = '127.0.0.0/8';

describe('the address of a client', () => {
  for (const [what, trust, told, expected] of [
    ['one proxy: the last one', 1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['two proxies: the last but one', 2, '198.51.100.1, 203.0.113.7, 10.0.0.1', '203.0.113.7'],
    ['two proxies, of which one told: the first', 2, '203.0.113.7', '203.0.113.7'],
    ['three proxies: the last but two', 3, 'a, 203.0.113.7, 10.0.0.1, 10.0.0.2', '203.0.113.7'],
    ['a header that each proxy repeats', 2, ['198.51.100.1', '203.0.113.7', '10.0.0.1'], '203.0.113.7'],
    ['networks: the nearest outside of them', [proxy, '10.0.0.0/8'], '1.2.3.4, 203.0.113.7, 10.0.0.1', '203.0.113.7'],
    ['networks of IPv6', [proxy, '2001:db8:1::/48'], '1.2.3.4, 203.0.113.7, 2001:db8:1:2::3', '203.0.113.7'],
    ['networks: a mapped address', [proxy, '10.0.0.0/8'], '1.2.3.4, 203.0.113.7, ::ffff:a00:1', '203.0.113.7'],
    ['a network that is mapped itself', ['::ffff:127.0.0.0/104'], '203.0.113.7', '203.0.113.7'],
    ['the address of the proxy alone', ['127.0.0.1'], '10.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['a connection that is not trusted', ['10.0.0.0/8'], '203.0.113.7', '127.0.0.1'],
    ['a part of the network only', ['127.0.0.2/32'], '203.0.113.7', '127.0.0.1'],
    ['no header', 1, undefined, '127.0.0.1'],
    ['an empty header', 2, '', '127.0.0.1'],
    ['a port', 1, '1.2.3.4, 203.0.113.7:49152', '203.0.113.7'],
    ['a port of IPv6', 1, '1.2.3.4, [2001:DB8::0:1]:443', '2001:db8::1'],
    ['brackets', 1, '[2001:db8::1]', '2001:db8::1'],
    ['a bare IPv6 address', 1, '2001:db8::1', '2001:db8::1'],
    ['a mapped address', 1, '::ffff:c000:201', '192.0.2.1'],
    ['a zone', 1, 'fe80::1%eth0', 'fe80::1'],
    ['no address: that of the proxy', 1, '203.0.113.7, unknown', '127.0.0.1'],
    ['no address: that of the nearest proxy', 3, '203.0.113.7, <script>, 10.0.0.2', '10.0.0.2'],
    ['no address: that of the nearest proxy in a network', [proxy, '10.0.0.0/8'], '1.2.3.4, x, 10.0.0.2', '10.0.0.2'],
    ['a port that is none', 1, '203.0.113.7:port', '127.0.0.1'],
    ['a name', 1, 'localhost', '127.0.0.1'],
    ['numbers that other programs read as an address', 1, '3405803783', '127.0.0.1'],
  ] as const)
    it(`with ${what}: ${expected}`, async () => {
      expect(await addressOf(trust, typeof told === 'object' ? [...told] : told)).to.equal(expected);
    });

  it('is the address of the connection without trusted proxies', async () => {
    expect(await addressOf(null, '203.0.113.7')).to.match(/^::ffff:127\.0\.0\.1$|^127\.0\.0\.1$/);
  });

  it('does not depend on header values that the client sends', async () => {
    const network = [proxy, '10.0.0.0/8'];
    const piece = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('10.0.0.9', '', 'unknown', '127.0.0.1'), fc.string());
    const forged = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(',').replaceAll(/[^ -~]/g, '?'));
    for (const [trust, proxies] of [
      [1, []],
      [3, ['10.0.0.1', '192.0.2.9']],
      [network, ['10.0.0.1', '10.1.0.1', '127.0.0.9']],
    ] as const)
      await serving(trust, (port) =>
        fc.assert(
          fc.asyncProperty(forged, async (text) => {
            const told = [text, '203.0.113.7', ...proxies].join(', ');
            expect((await ask(port, { 'X-Forwarded-For': told })).ip).to.equal('203.0.113.7');
          }),
          { numRuns: 100 },
        ),
      );
  });
});

describe('the host and the protocol of a request', () => {
  const seen = async (trust: ProxyTrust | null, headers: OutgoingHttpHeaders): Promise<string> => {
    let found = '';
    await serving(trust, async (port) => {
      const { protocol, host } = await ask(port, { Host: 'own.example', ...headers });
      found = `${protocol}://${host}`;
    });
    return found;
  };
  const told = { 'X-Forwarded-Host': 'evil.example, a.example', 'X-Forwarded-Proto': 'gopher, https' };

  for (const [what, trust, headers, expected] of [
    ['one proxy', 1, told, 'https://a.example'],
    ['one proxy of a network', [proxy], told, 'https://a.example'],
    ['a proxy that is not trusted', ['10.0.0.0/8'], told, 'http://own.example'],
    ['no proxy at all', null, told, 'http://own.example'],
    ['a proxy that tells nothing', 1, {}, 'http://own.example'],
    [
      'two proxies, each of which appended',
      2,
      {
        'X-Forwarded-For': '203.0.113.7, 10.0.0.1',
        'X-Forwarded-Host': 'evil.example, a.example, inner.example',
        'X-Forwarded-Proto': 'gopher, https, http',
      },
      'https://a.example',
    ],
    [
      'two proxies, the last of which replaced',
      2,
      {
        'X-Forwarded-For': '203.0.113.7, 10.0.0.1',
        'X-Forwarded-Host': 'a.example',
        'X-Forwarded-Proto': 'HTTPS',
      },
      'https://a.example',
    ],
    ['a proxy of another protocol', 1, { 'X-Forwarded-Proto': 'https, javascript' }, '://own.example'],
  ] as const)
    it(`are forwarded by ${what}`, async () => {
      expect(await seen(trust, headers)).to.equal(expected);
    });
});
