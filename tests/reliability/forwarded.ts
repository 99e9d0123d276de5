import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Promised } from './guarantee.ts';

const dice = (sides: number): number => Math.floor(Math.random() * sides);
const pick = <T>(choices: readonly T[]): T => choices[dice(choices.length)]!;

/** Wrong passwords that one address may give. */
const allowed = 10;

/** Guesses of each client: more than it is allowed. */
const guesses = 15;

/** Clients that guess at the same time. */
const together = 8;

/** An address of a client as a proxy may write it, and the one form that the service has to make of it. */
interface Address {
  readonly written: string;
  readonly canonical: string;
}

interface Setting {
  readonly trustProxy: unknown;
  /** What the trusted proxies append after the address of the client; undefined where none is trusted. */
  readonly proxies: readonly string[] | undefined;
}

const settings: readonly Setting[] = [
  { trustProxy: true, proxies: [] },
  { trustProxy: 3, proxies: ['10.0.0.1', '192.0.2.77'] },
  { trustProxy: ['127.0.0.0/8', '10.0.0.0/8'], proxies: ['10.9.8.7', '::ffff:10.0.0.1', '127.0.0.9:443'] },
  { trustProxy: ['10.0.0.0/8'], proxies: undefined },
  { trustProxy: false, proxies: undefined },
];

/** The address of the tests themselves, and one that only proxies tell. */
const own: Address = { written: '127.0.0.1', canonical: '127.0.0.1' };
const other: Address = { written: '198.51.100.50', canonical: '198.51.100.50' };

/** An address that no other client has: of IPv6 in a network of its own. */
const addressOf = (client: number): Address => {
  const [high, low] = [Math.floor(client / 256) % 256, client % 256];
  const v4 = `203.${high}.113.${low}`;
  const groups = [203 * 256 + high, 113 * 256 + low].map((group) => group.toString(16));
  const v6 = `2001:db8:${(client + 1).toString(16)}::1`;
  return pick([
    { written: v4, canonical: v4 },
    { written: `${v4}:${1 + dice(65_535)}`, canonical: v4 },
    { written: `::ffff:${v4}`, canonical: v4 },
    { written: `::FFFF:${groups.join(':')}`, canonical: v4 },
    { written: v6.toUpperCase(), canonical: v6 },
    { written: `[${v6}]:443`, canonical: v6 },
  ]);
};

const piece = (): string =>
  pick([
    () => Array.from({ length: 4 }, () => dice(256)).join('.'),
    () => pick(['10.0.0.1', '127.0.0.1', '::ffff:10.0.0.1', '192.0.2.77', '[::1]:80']),
    () => pick(['', 'unknown', '_hidden', 'localhost', '127.1', '0', '*', '203.0.113.7, 10.0.0.1']),
    () =>
      pick([
        '"}\\n{"user":"jane@example.com"',
        '<script>',
        "' OR 1=1 --",
        '$' + '{jndi:ldap://evil.example}',
        '%0d%0a',
      ]),
    () =>
      randomBytes(1 + dice(40))
        .toString('latin1')
        .replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '?'),
    () => '10.0.0.1,'.repeat(dice(300)),
  ])();

/** What a client writes into a header before the proxies do. */
const forged = (): readonly string[] => Array.from({ length: dice(4) }, piece);

const headersOf = ({ proxies }: Setting, { written }: Address): Readonly<Record<string, string>> => {
  const host = [...forged(), 'evil.example.com'];
  const trusted = proxies !== undefined;
  return {
    Host: 'accounts.example.net',
    'X-Forwarded-For': [...forged(), ...(trusted ? [written, ...proxies] : [])].join(', '),
    // Each proxy appends to these, too.
    'X-Forwarded-Host': [...host, ...(trusted ? ['accounts.example.net', ...proxies.map(() => 'inner')] : [])].join(
      ',',
    ),
    'X-Forwarded-Proto': [...forged(), ...(trusted ? ['https', ...proxies.map(() => 'http')] : [])].join(', '),
    'X-Real-IP': '198.51.100.9',
    Forwarded: 'for=198.51.100.9;host=evil.example.com',
  };
};

/** What was met in one setting. */
interface Met {
  readonly refused: number;
  readonly links: number;
}

/** Asks for mails, whose links start with what the request went to. */
const linksOf = async (caller: Caller, setting: Setting, folder: string, count: number): Promise<number> => {
  for (let mail = 0; mail < count; mail++) {
    const address = `mail-${mail}@example.com`;
    const body = { email: { address }, password: 'correct horse' };
    expect((await caller.call('POST', '/users', body, headersOf(setting, other)))?.status).to.equal(201);
    const path = at(address).replace('/users', '/verify');
    const headers = { ...headersOf(setting, other), password: body.password };
    const answer = await caller.call('POST', path, undefined, headers);
    expect(answer?.status, answer?.body).to.equal(200);
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

/** Guesses from one address, which is refused when it was wrong too often; notes the address for the id of each request. */
const guess = async (caller: Caller, setting: Setting, client: number, noted: Map<string, string>): Promise<number> => {
  const address = setting.proxies === undefined ? own : addressOf(client);
  let refused = 0;
  for (let number = 0; number < guesses; number++) {
    const id = `guess-${client}-${number}`;
    noted.set(id, address.canonical);
    const headers = { ...headersOf(setting, address), password: 'a guess', 'X-Request-Id': id };
    const answer = await caller.call('GET', at(`${id}@example.com`), undefined, headers);
    // All guesses come from one address where no proxy is trusted.
    if (setting.proxies !== undefined) expect(answer?.status, address.written).to.equal(number < allowed ? 404 : 429);
    else expect(answer?.status).to.be.oneOf([404, 429]);
    if (answer?.status === 429) refused += 1;
  }
  return refused;
};

const tryOut = async (setting: Setting, clients: number): Promise<Met> => {
  const installation = await Installation.create();
  try {
    await installation.configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, trustProxy: setting.trustProxy },
      throttle: { clientFailures: allowed, failures: 1_000, block: '1h', window: '1h' },
      audit: { file: 'audit.jsonl' },
    });
    const serving = await installation.serve();
    const caller = new Caller(serving.url);
    const links = await linksOf(caller, setting, join(installation.folder, 'outbox'), Math.ceil(clients / 10));
    const noted = new Map<string, string>();
    let refused = 0;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < clients) {
        const more = await guess(caller, setting, next++, noted);
        refused += more;
      }
    };
    await Promise.all(Array.from({ length: together }, work));
    caller.close();
    expect(await serving.stop()).to.equal(0);
    // Guesses that come together are all checked when the last one that is allowed is among them.
    const least =
      setting.proxies === undefined ? clients * guesses - allowed - together : clients * (guesses - allowed);
    expect(refused).to.be.at.least(least);
    const lines = (await readFile(join(installation.folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n');
    for (const line of lines) {
      const { request, address } = JSON.parse(line);
      expect(address, line).to.equal(noted.get(request) ?? (setting.proxies === undefined ? own : other).canonical);
      noted.delete(request);
    }
    expect(noted.size, 'requests that are missing in the audit').to.equal(0);
    return { refused, links };
  } finally {
    await installation.dispose();
  }
};

/** Forges the headers in which proxies tell who calls. A round is one guess with forged headers. */
export const countsProxiesFromTheRight: Promised = {
  name: 'a client that forges X-Forwarded headers chooses neither the address that is throttled and audited nor the host of a link',
  rounds: { short: 600, long: 60_000 },
  patience: 60_000,
  run: async (rounds) => {
    const clients = Math.ceil(rounds / settings.length / guesses);
    const met: Met[] = [];
    for (const setting of settings) met.push(await tryOut(setting, clients));
    const sum = (figure: keyof Met): number => met.reduce((total, one) => total + one[figure], 0);
    return `${clients * settings.length * guesses} forged guesses over ${settings.length} settings of trustProxy: ${sum('refused')} refused after ${allowed} of each address, every address in the audit right, ${sum('links')} links right`;
  },
};
