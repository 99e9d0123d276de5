import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

/** The configured number of wrong passwords per address. */
const allowed = 10;

/** Guesses of each client, more than allowed. */
const guesses = 15;

/** Clients that guess concurrently. */
const concurrency = 8;

/** A client address as a proxy writes it, and its canonical form. */
interface Address {
  readonly written: string;
  readonly canonical: string;
}

interface Setting {
  readonly trustProxy: unknown;
  /** The addresses that trusted proxies append after the client's; undefined where no proxy is trusted. */
  readonly proxies: readonly string[] | undefined;
}

const settings: readonly Setting[] = [
  { trustProxy: true, proxies: [] },
  { trustProxy: 3, proxies: ['10.0.0.1', '192.0.2.77'] },
  { trustProxy: ['127.0.0.0/8', '10.0.0.0/8'], proxies: ['10.9.8.7', '::ffff:10.0.0.1', '127.0.0.9:443'] },
  { trustProxy: ['10.0.0.0/8'], proxies: undefined },
  { trustProxy: false, proxies: undefined },
];

/** The address of the tests, and one that only appears in headers. */
const own: Address = { written: '127.0.0.1', canonical: '127.0.0.1' };
const other: Address = { written: '198.51.100.50', canonical: '198.51.100.50' };

/** A unique address for each client; IPv6 addresses are in separate networks. */
const addressOf = (client: number, random: RandomStream): Address => {
  const [high, low] = [Math.floor(client / 256) % 256, client % 256];
  const v4 = `203.${high}.113.${low}`;
  const groups = [203 * 256 + high, 113 * 256 + low].map((group) => group.toString(16));
  const v6 = `2001:db8:${(client + 1).toString(16)}::1`;
  return random.pick([
    { written: v4, canonical: v4 },
    { written: `${v4}:${1 + random.below(65_535)}`, canonical: v4 },
    { written: `::ffff:${v4}`, canonical: v4 },
    { written: `::FFFF:${groups.join(':')}`, canonical: v4 },
    { written: v6.toUpperCase(), canonical: v6 },
    { written: `[${v6}]:443`, canonical: v6 },
  ]);
};

const piece = (random: RandomStream): string =>
  random.pick([
    () => Array.from({ length: 4 }, () => random.below(256)).join('.'),
    () => random.pick(['10.0.0.1', '127.0.0.1', '::ffff:10.0.0.1', '192.0.2.77', '[::1]:80']),
    () => random.pick(['', 'unknown', '_hidden', 'localhost', '127.1', '0', '*', '203.0.113.7, 10.0.0.1']),
    () =>
      random.pick([
        '"}\\n{"user":"jane@example.com"',
        '<script>',
        "' OR 1=1 --",
        '$' + '{jndi:ldap://evil.example}',
        '%0d%0a',
      ]),
    () =>
      random
        .bytes(1 + random.below(40))
        .toString('latin1')
        .replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '?'),
    () => '10.0.0.1,'.repeat(random.below(300)),
  ])();

/** Forged entries that a client puts into a header before the proxies append theirs. */
const forged = (random: RandomStream): readonly string[] =>
  Array.from({ length: random.below(4) }, () => piece(random));

const headersOf = (
  { proxies }: Setting,
  { written }: Address,
  random: RandomStream,
): Readonly<Record<string, string>> => {
  const host = [...forged(random), 'evil.example.com'];
  const trusted = proxies !== undefined;
  return {
    Host: 'accounts.example.net',
    'X-Forwarded-For': [...forged(random), ...(trusted ? [written, ...proxies] : [])].join(', '),
    // Proxies append to these headers, too.
    'X-Forwarded-Host': [...host, ...(trusted ? ['accounts.example.net', ...proxies.map(() => 'inner')] : [])].join(
      ',',
    ),
    'X-Forwarded-Proto': [...forged(random), ...(trusted ? ['https', ...proxies.map(() => 'http')] : [])].join(', '),
    'X-Real-IP': '198.51.100.9',
    Forwarded: 'for=198.51.100.9;host=evil.example.com',
  };
};

/** The result of one setting. */
interface Result {
  readonly refused: number;
  readonly links: number;
}

/** Requests verification mails, and checks that their links have the host of the request. */
const linksOf = async (
  caller: Caller,
  setting: Setting,
  folder: string,
  count: number,
  random: RandomStream,
): Promise<number> => {
  for (let mail = 0; mail < count; mail++) {
    const address = `mail-${mail}@example.com`;
    const body = { email: { address }, password: 'correct horse' };
    expect((await caller.call('POST', '/users', body, headersOf(setting, other, random)))?.status).to.equal(201);
    const path = at(address).replace('/users', '/verify');
    const headers = { ...headersOf(setting, other, random), password: body.password };
    const response = await caller.call('POST', path, undefined, headers);
    expect(response?.status, response?.body).to.equal(200);
  }
  const mails = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  const start = `${setting.proxies === undefined ? 'http' : 'https'}://accounts.example.net/verify`;
  for (const name of mails)
    expect(await readFile(join(folder, name), 'utf8'))
      .to.include(start)
      .and.not.include('evil');
  expect(mails.length).to.equal(count);
  return mails.length;
};

/** Guesses passwords from one address until it is refused. Records the expected address of each request id. */
const guess = async (
  caller: Caller,
  setting: Setting,
  client: number,
  expectedAddresses: Map<string, string>,
  random: RandomStream,
): Promise<number> => {
  const address = setting.proxies === undefined ? own : addressOf(client, random);
  let refused = 0;
  for (let number = 0; number < guesses; number++) {
    const id = `guess-${client}-${number}`;
    expectedAddresses.set(id, address.canonical);
    const headers = { ...headersOf(setting, address, random), password: 'a guess', 'X-Request-Id': id };
    const response = await caller.call('GET', at(`${id}@example.com`), undefined, headers);
    // Without trusted proxies all guesses come from one address.
    if (setting.proxies !== undefined) expect(response?.status, address.written).to.equal(number < allowed ? 404 : 429);
    else expect(response?.status).to.be.oneOf([404, 429]);
    if (response?.status === 429) refused += 1;
  }
  return refused;
};

const tryOut = async (setting: Setting, clients: number, random: RandomStream): Promise<Result> => {
  const installation = await Installation.create();
  try {
    await installation.configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, trustProxy: setting.trustProxy },
      throttle: { clientFailures: allowed, failures: 1_000, block: '1h', window: '1h' },
      audit: { file: 'audit.jsonl' },
    });
    const serving = await installation.serve();
    const caller = new Caller(serving.url);
    const links = await linksOf(
      caller,
      setting,
      join(installation.folder, 'outbox'),
      Math.ceil(clients / 10),
      random.stream('links'),
    );
    const expectedAddresses = new Map<string, string>();
    let refused = 0;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < clients) {
        const client = next++;
        const more = await guess(caller, setting, client, expectedAddresses, random.stream('client', client));
        refused += more;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    caller.close();
    expect(await serving.stop()).to.equal(0);
    // Concurrent guesses are all checked when the last allowed one is among them.
    const least =
      setting.proxies === undefined ? clients * guesses - allowed - concurrency : clients * (guesses - allowed);
    expect(refused).to.be.at.least(least);
    const lines = (await readFile(join(installation.folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n');
    for (const line of lines) {
      const { request, address } = JSON.parse(line);
      expect(address, line).to.equal(
        expectedAddresses.get(request) ?? (setting.proxies === undefined ? own : other).canonical,
      );
      expectedAddresses.delete(request);
    }
    expect(expectedAddresses.size, 'requests that are missing in the audit').to.equal(0);
    return { refused, links };
  } finally {
    await installation.dispose();
  }
};

/** A round is one guess with forged headers. */
export const forwardedHeaders: Guarantee = {
  name: 'forged X-Forwarded headers change neither the address that is throttled and audited nor the host of a link',
  rounds: { short: 600, long: 60_000 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const clients = Math.ceil(rounds / settings.length / guesses);
    const results: Result[] = [];
    for (const [index, setting] of settings.entries())
      results.push(await tryOut(setting, clients, random.stream(index)));
    const sum = (figure: keyof Result): number => results.reduce((total, one) => total + one[figure], 0);
    return `${clients * settings.length * guesses} forged guesses over ${settings.length} settings of trustProxy: ${sum('refused')} refused after ${allowed} of each address, every address in the audit correct, ${sum('links')} links correct`;
  },
};
