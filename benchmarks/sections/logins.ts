import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memberAddress, memberName } from '../../tests/reliability/replica-set/links.ts';
import { MemberSet } from '../../tests/reliability/replica-set/member-set.ts';
import type { Bench, Section } from '../bench.ts';
import { onExit } from '../cleanup.ts';
import { headers, latchkey } from '../latchkey.ts';
import {
  type Action,
  type Arrival,
  expectedHits,
  hourlyShare,
  type LoginDay,
  loginDay,
  peakHour,
  zipfShares,
} from '../load/login-day.ts';
import { root } from '../machine.ts';
import type { Figure } from '../results.ts';
import { Server } from '../server.ts';
import { quantile } from '../statistics.ts';
import { addressOf, createUsers, multiplyInMongodb, pathOf } from '../users.ts';

const services = 2;
const members = [0, 1, 2];

/** How long an entry of the password cache lasts. */
const ttlSeconds = 30;

const fullDay: LoginDay = { users: 5_000, durationMs: 240_000, peakPerSecond: 8, exponent: 1 };
const quickDay: LoginDay = { users: 500, durationMs: 24_000, peakPerSecond: 8, exponent: 1 };

/** A configuration of the services. */
interface Variant {
  readonly name: string;
  readonly passwordHash: Readonly<Record<string, unknown>>;
}

const argon2 = { algorithm: 'argon2', serverSideHash: true };
const variants: readonly Variant[] = [
  { name: 'argon2', passwordHash: argon2 },
  { name: 'argon2, password cache', passwordHash: { ...argon2, cache: { entries: 10_000, ttl: `${ttlSeconds}s` } } },
];

const requestOf = ({ action, user }: Arrival, index: number): [path: string, init: RequestInit, status: number] => {
  if (action === 'sign-up') {
    const body = JSON.stringify({ email: { address: `new-${index}@example.com` }, password: headers.password });
    return ['/users', { method: 'POST', headers, body }, 201];
  }
  if (action === 'wrong password') return [pathOf(user), { headers: { ...headers, password: 'another horse' } }, 401];
  if (action === 'login') return [pathOf(user), { headers }, 200];
  const body = JSON.stringify({ email: { address: addressOf(user) }, name: 'Jane Doe', plan: 'free', visits: index });
  return [pathOf(user), { method: 'PUT', headers, body }, 200];
};

/** The response time of a request, in milliseconds since it was due: a late start counts. */
interface Answer extends Pick<Arrival, 'hour' | 'action'> {
  readonly ms: number;
  /** Whether the status was the expected one. An overloaded service answers 503. */
  readonly isExpected: boolean;
}

/** Sends every request when it is due, alternately to the services. */
const replay = async (day: readonly Arrival[], urls: readonly string[]): Promise<readonly Answer[]> => {
  const started = performance.now();
  const send = async (arrival: Arrival, index: number): Promise<Answer> => {
    const [path, init, expected] = requestOf(arrival, index);
    const response = await fetch(`${urls[index % urls.length]}${path}`, init);
    await response.arrayBuffer();
    const ms = performance.now() - started - arrival.atMs;
    return { hour: arrival.hour, action: arrival.action, ms, isExpected: response.status === expected };
  };
  const pending: Promise<Answer>[] = [];
  for (const [index, arrival] of day.entries()) {
    const waitMs = started + arrival.atMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    pending.push(send(arrival, index));
  }
  return Promise.all(pending);
};

/** How long the CPU time of the idle members is measured. */
const idleSeconds = 10;

/** CPU time of all members, in seconds. */
const memberCpuSeconds = async (set: MemberSet): Promise<number> => {
  const statuses = await Promise.all(members.map((member) => set.command(member, { serverStatus: 1 })));
  const seconds = statuses.map(({ extra_info }) => Number(extra_info.user_time_us) + Number(extra_info.system_time_us));
  return seconds.reduce((sum, each) => sum + each, 0) / 1e6;
};

const cacheHits = async (server: Server): Promise<number> => {
  const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
  return Number(/^latchkey_password_cache_hits_total (\d+)$/m.exec(text)?.[1] ?? 0);
};

interface Outcome {
  readonly answers: readonly Answer[];
  readonly cpuSeconds: number;
  readonly memberCpuSeconds: number;
  readonly hits: number;
}

/** Starts the services with their own database, and replays the day. */
const runDay = async (
  bench: Bench,
  set: MemberSet,
  users: number,
  day: readonly Arrival[],
  { name, passwordHash }: Variant,
): Promise<Outcome> => {
  const databaseName = `logins-${process.pid}-${variants.findIndex((each) => each.name === name)}`;
  const database = { type: 'mongodb', connectionString: set.connectionString, databaseName, collectionName: 'users' };
  const addresses = Object.fromEntries(members.map((member) => [memberName(member), memberAddress(member)]));
  const start = (hash: Readonly<Record<string, unknown>>): Promise<Server> => {
    const environment = { MEMBER_ADDRESSES: JSON.stringify(addresses) };
    const flags = ['--import', join(root, 'tests/reliability/replica-set/resolve-members.js')];
    const program = latchkey(bench.folder('logins'), { database, passwordHash: hash }, { environment, flags });
    return Server.start(bench.machine, { ...program, cores: 'both' });
  };
  const seeding = await start(argon2);
  await createUsers(seeding.url, 1).finally(() => seeding.stop());
  const client = set.client({ service: 0 });
  await multiplyInMongodb(client.db(databaseName), users).finally(() => client.close());
  const running = await Promise.all(Array.from({ length: services }, () => start(passwordHash)));
  try {
    const idleBefore = await memberCpuSeconds(set);
    await sleep(idleSeconds * 1_000);
    const membersBefore = await memberCpuSeconds(set);
    const idleShare = (membersBefore - idleBefore) / idleSeconds;
    const cpuBefore = running.map((server) => server.cpuSeconds());
    const started = performance.now();
    const answers = await replay(
      day,
      running.map(({ url }) => url),
    );
    const cpuSeconds = running.reduce((sum, server, index) => sum + server.cpuSeconds() - (cpuBefore[index] ?? 0), 0);
    const idle = (idleShare * (performance.now() - started)) / 1_000;
    const used = (await memberCpuSeconds(set)) - membersBefore - idle;
    const hits = await Promise.all(running.map(cacheHits));
    return { answers, cpuSeconds, memberCpuSeconds: used, hits: hits.reduce((sum, each) => sum + each, 0) };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
};

const isLogin = ({ action }: { readonly action: Action }): boolean => action === 'login';

const allHours = hourlyShare.map((_, hour) => hour);

/** Response times of some hours, and what a request costs. */
const figuresOf = (name: string, { answers, cpuSeconds, memberCpuSeconds }: Outcome): readonly Figure[] => {
  const times = (hours: readonly number[]) => answers.filter(({ hour }) => hours.includes(hour)).map(({ ms }) => ms);
  const responseTimes = (when: string, hours: readonly number[]): readonly Figure[] => [
    { name: `${name}: median response time, ${when}`, unit: 'ms', values: [quantile(times(hours), 0.5)] },
    { name: `${name}: 99th percentile, ${when}`, unit: 'ms', values: [quantile(times(hours), 0.99)] },
  ];
  const perRequest = (seconds: number): readonly number[] => [(seconds / answers.length) * 1_000];
  const refused = answers.filter(({ isExpected }) => !isExpected).length;
  return [
    {
      name: `${name}: refused because the services were overloaded, %`,
      unit: '',
      values: [(refused / answers.length) * 100],
    },
    ...responseTimes('busiest hour', [peakHour]),
    ...responseTimes('whole day', allHours),
    { name: `${name}: CPU time of the services per request`, unit: 'ms', values: perRequest(cpuSeconds) },
    { name: `${name}: CPU time of the members per request`, unit: 'ms', values: perRequest(memberCpuSeconds) },
  ];
};

/** Response times and CPU time on a day of logins, for capacity planning. */
export const logins: Section = {
  name: 'logins',
  title: 'A day of logins',
  explanation:
    'Two services on three MongoDB members answer the requests of a day, shortened to minutes: quiet nights, a peak in the evening, and few users who log in often (Zipf’s law). 95 % are logins, 3 % have a wrong password, 1.5 % update a user, 0.5 % are new users.',
  isLong: true,
  run: async (bench) => {
    const model = bench.extent.quick ? quickDay : fullDay;
    const day = loginDay(model);
    bench.log('  starting three members');
    const set = await MemberSet.start();
    const remove = onExit(() => set.remove());
    const figures: Figure[] = [];
    try {
      for (const variant of variants) {
        bench.log(`  ${variant.name}: ${day.length} requests in ${model.durationMs / 1_000} s`);
        const outcome = await runDay(bench, set, model.users, day, variant);
        figures.push(...figuresOf(variant.name, outcome));
        if (!('cache' in variant.passwordHash)) continue;
        const right = outcome.answers.filter(isLogin).length;
        const perService = right / (model.durationMs / 1_000) / services;
        figures.push(
          { name: 'logins that the cache answered, %', unit: '', values: [(outcome.hits / right) * 100] },
          {
            name: 'the same as the model expects it at the mean load, %',
            unit: '',
            values: [expectedHits(zipfShares(model.users, model.exponent), perService, ttlSeconds) * 100],
          },
        );
      }
    } finally {
      await remove();
    }
    return {
      contenders: [],
      figures,
      rows: [],
      notes: [
        `${model.users.toLocaleString('en-US')} users, ${model.peakPerSecond} requests/s in the busiest hour. Requests are sent when they are due, whether others were answered or not, and response times count from then.`,
        `An entry of the cache lasts ${ttlSeconds} seconds. The two services, the three members and the load generator share two cores. The CPU time of the members is without what they take when they are idle.`,
      ],
    };
  },
};
