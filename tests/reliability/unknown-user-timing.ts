import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import { sqlite } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

/** The hash algorithms to test. The cheaper the check, the more visible are other differences in time. */
const algorithms = {
  simple: { algorithm: 'simple' },
  sha256: { algorithm: 'sha256' },
  bcrypt: { algorithm: 'bcrypt', cost: 4 },
  argon2: { algorithm: 'argon2' },
} as const;

/** Two requests that must not be distinguishable: for an existing user and for an unknown one. */
export interface Pair {
  readonly status: number;
  readonly known: (random: RandomStream) => TimedRequest;
  readonly unknown: (random: RandomStream) => TimedRequest;
}

export interface TimedRequest {
  readonly path: string;
  /** Sent in a header. */
  readonly password?: string;
  /** The body of a POST; without it, the request is a GET. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** A POST without a body. */
  readonly isPost?: true;
  /** Sent immediately before, and not timed. */
  readonly after?: TimedRequest & { readonly status: number };
}

/** Addresses of the same form. */
export const addresses = (count: number, random: RandomStream): readonly string[] =>
  Array.from({ length: count }, () => `user-${random.address()}`);

/** The addresses of existing users, and of others. */
export interface Addresses {
  readonly known: readonly string[];
  readonly unknown: readonly string[];
}

const wrong = { password: 'a wrong password of a user' };

const guesses = (
  { known, unknown }: Addresses,
  requestAbout: (address: string, random: RandomStream) => TimedRequest,
  status: number,
): Pair => {
  const about = (some: readonly string[]) => (random: RandomStream) => requestAbout(random.pick(some), random);
  return { status, known: about(known), unknown: about(unknown) };
};

const withHeader = (all: Addresses): Pair => guesses(all, (address) => ({ path: at(address), ...wrong }), 401);
const withBody = (all: Addresses): Pair =>
  guesses(all, (address) => ({ path: '/users/check', body: { email: { address }, ...wrong } }), 401);
const withToken = (all: Addresses): Pair =>
  guesses(
    all,
    (address, random) => ({ path: `/verify?email=${encodeURIComponent(address)}&token=${random.uuid()}` }),
    400,
  );

const timeOf = async (
  caller: Caller,
  { path, password, body, headers: others, isPost, after }: TimedRequest,
  status: number,
): Promise<number> => {
  if (after !== undefined) await timeOf(caller, after, after.status);
  const asked = performance.now();
  const headers = {
    ...others,
    ...(password !== undefined && { password }),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const response = await caller.call(body === undefined && isPost === undefined ? 'GET' : 'POST', path, body, headers);
  const time = performance.now() - asked;
  expect(response?.status, response?.body).to.equal(status);
  return time;
};

interface Times {
  readonly known: number[];
  readonly unknown: number[];
}

/** Alternates between both requests in random order, so that other work on the machine affects both. */
export const measure = async (
  caller: Caller,
  { known, unknown, status }: Pair,
  rounds: number,
  random: RandomStream,
): Promise<Times> => {
  const times: Times = { known: [], unknown: [] };
  const askKnown = async () => times.known.push(await timeOf(caller, known(random), status));
  const askUnknown = async () => times.unknown.push(await timeOf(caller, unknown(random), status));
  for (let round = 0; round < rounds; round++) {
    const turns = random.chance(0.5) ? [askKnown, askUnknown] : [askUnknown, askKnown];
    for (const ask of turns) await ask();
  }
  return times;
};

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** The probability that an unknown user takes longer than a known one (Mann-Whitney U test). 0.5 reveals nothing. */
const chanceOfLonger = ({ known, unknown }: Times): number => {
  const ranked = [...known.map((time) => ({ time, is: 'known' })), ...unknown.map((time) => ({ time, is: 'unknown' }))];
  ranked.sort((one, other) => one.time - other.time);
  const ranks = ranked.reduce((sum, { is }, index) => (is === 'unknown' ? sum + index + 1 : sum), 0);
  const least = (unknown.length * (unknown.length + 1)) / 2;
  return (ranks - least) / (known.length * unknown.length);
};

/**
 * Allowed distance of the probability from 0.5. If one of them skips the password check, it is 0 or 1. A difference of
 * one microsecond moves it by a few hundredths. Wide enough for the variance of a short run.
 */
const tolerance = 0.15;

export const judged = (name: string, times: Times, allowed = tolerance): string => {
  const chance = chanceOfLonger(times);
  const [known, unknown] = [median(times.known), median(times.unknown)];
  const figure = `${name} ${unknown.toFixed(3)} and ${known.toFixed(3)} ms, ${chance.toFixed(3)}`;
  expect(Math.abs(chance - 0.5), figure).to.be.lessThan(allowed);
  return figure;
};

const prepared = async (caller: Caller, known: readonly string[]): Promise<void> => {
  for (const address of known) {
    const body = { email: { address }, password: 'the password of a user' };
    expect((await caller.call('POST', '/users', body))?.status).to.equal(201);
    const path = `/verify?email=${encodeURIComponent(address)}`;
    const sent = await caller.call('POST', path, undefined, { password: body.password });
    expect(sent?.status, sent?.body).to.equal(200);
  }
};

/** Rounds before the measurement. */
export const warmUpRounds = 100;

const compare = async (
  options: object,
  pairsOf: (all: Addresses) => Readonly<Record<string, Pair>>,
  rounds: number,
  random: RandomStream,
  database: Database = sqlite,
): Promise<string[]> => {
  const installation = await Installation.create();
  const { yaml, dispose } = await database.open();
  try {
    const passwordHash = { serverSideHash: true, ...options };
    await installation.configure({ database: yaml, passwordHash, privacy: { hideUnknownUsers: true } });
    const serving = await installation.serve();
    const caller = new Caller(serving.url);
    const all = { known: addresses(20, random), unknown: addresses(4_000, random) };
    await prepared(caller, all.known);
    const figures: string[] = [];
    for (const [name, pair] of Object.entries(pairsOf(all))) {
      await measure(caller, pair, warmUpRounds, random);
      figures.push(judged(name, await measure(caller, pair, rounds, random)));
    }
    caller.close();
    await serving.stop();
    return figures;
  } finally {
    await installation.dispose();
    await dispose();
  }
};

/** Compares the response times for unknown users with wrong passwords and tokens. A round is one request of each. */
export const unknownUserTiming: Guarantee = {
  name: 'with hideUnknownUsers the response time does not distinguish an unknown user from a wrong password or a wrong token',
  rounds: { short: 300, long: 2_000 },
  timeoutMs: 240_000,
  run: async (rounds, random) => {
    const figures: string[] = [];
    for (const [name, options] of Object.entries(algorithms)) {
      const pairsOf = (all: Addresses) => {
        const onlyOnce = { 'a password in a body': withBody(all), 'a token': withToken(all) };
        return { [name]: withHeader(all), ...(name === 'simple' && onlyOnce) };
      };
      figures.push(...(await compare(options, pairsOf, rounds, random.stream(name))));
    }
    return `${rounds} requests of each, medians of unknown and known, probability that unknown takes longer: ${figures.join('; ')}`;
  },
};

/** The same for a database on the network, with the cheapest check, which hides the least. */
export const remoteUserTiming = (database: Database): Guarantee => ({
  name: `with hideUnknownUsers the response time does not distinguish an unknown user on ${database.name}`,
  // Other work on the network and the server varies more than the difference, so that few requests would not find it.
  rounds: { short: 0, long: 2_000 },
  timeoutMs: 120_000,
  run: async (rounds, random) => {
    const figures = await compare(
      algorithms.simple,
      (all) => ({ simple: withHeader(all), 'a password in a body': withBody(all), 'a token': withToken(all) }),
      rounds,
      random,
      database,
    );
    return `${rounds} requests of each, medians of unknown and known, probability that unknown takes longer: ${figures.join('; ')}`;
  },
});
