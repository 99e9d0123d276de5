import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Promised } from './guarantee.ts';

/** How passwords are stored while the two are compared; the cheaper the check, the more the rest of the time shows. */
const algorithms = {
  simple: { algorithm: 'simple' },
  sha256: { algorithm: 'sha256' },
  bcrypt: { algorithm: 'bcrypt', cost: 4 },
  argon2: { algorithm: 'argon2' },
} as const;

/** Two requests that must not be told apart: about a user who is there, and about nobody. */
interface Pair {
  readonly status: number;
  readonly known: () => Request;
  readonly unknown: () => Request;
}

interface Request {
  readonly path: string;
  readonly password?: string;
}

const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, () => `somebody-${randomUUID()}@example.com`);

/** Of the same form, so that nothing but the service can tell them apart. */
const known = addresses(20);
const unknown = addresses(4_000);

const wrong = { password: 'a wrong password of somebody' };

const guesses = (path: (address: string) => string, rest: object, status: number): Pair => {
  const about = (some: readonly string[]) => () => ({
    path: path(some[Math.floor(Math.random() * some.length)] ?? ''),
    ...rest,
  });
  return { status, known: about(known), unknown: about(unknown) };
};

const withPassword = (): Pair => guesses(at, wrong, 401);
const withToken = (): Pair =>
  guesses((address) => `/verify?email=${encodeURIComponent(address)}&token=${randomUUID()}`, {}, 400);

const timeOf = async (caller: Caller, { path, password }: Request, status: number): Promise<number> => {
  const asked = performance.now();
  const answer = await caller.call('GET', path, undefined, password === undefined ? {} : { password });
  const time = performance.now() - asked;
  expect(answer?.status, answer?.body).to.equal(status);
  return time;
};

interface Times {
  readonly known: number[];
  readonly unknown: number[];
}

/** Asks by turns, so that whatever the machine does befalls both alike; who is first is left to chance. */
const measure = async (caller: Caller, { known, unknown, status }: Pair, rounds: number): Promise<Times> => {
  const times: Times = { known: [], unknown: [] };
  const askKnown = async () => times.known.push(await timeOf(caller, known(), status));
  const askUnknown = async () => times.unknown.push(await timeOf(caller, unknown(), status));
  for (let round = 0; round < rounds; round++) {
    const turns = Math.random() < 0.5 ? [askKnown, askUnknown] : [askUnknown, askKnown];
    for (const ask of turns) await ask();
  }
  return times;
};

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** How probable it is that an unknown user takes longer than a known one (Mann and Whitney): 0.5 tells nothing. */
const chanceOfLonger = ({ known, unknown }: Times): number => {
  const ranked = [...known.map((time) => ({ time, is: 'known' })), ...unknown.map((time) => ({ time, is: 'unknown' }))];
  ranked.sort((one, other) => one.time - other.time);
  const ranks = ranked.reduce((sum, { is }, index) => (is === 'unknown' ? sum + index + 1 : sum), 0);
  const least = (unknown.length * (unknown.length + 1)) / 2;
  return (ranks - least) / (known.length * unknown.length);
};

/**
 * How far the chance may be from one half. A check that one of them is spared makes it 0 or 1; a microsecond, which some
 * thousand requests show on one machine, a few hundredths. Wide enough for the chances of a short run.
 */
const tolerance = 0.15;

const judged = (name: string, times: Times): string => {
  const chance = chanceOfLonger(times);
  const [known, unknown] = [median(times.known), median(times.unknown)];
  const figure = `${name} ${unknown.toFixed(3)} and ${known.toFixed(3)} ms, ${chance.toFixed(3)}`;
  expect(Math.abs(chance - 0.5), figure).to.be.lessThan(tolerance);
  return figure;
};

const prepared = async (caller: Caller): Promise<void> => {
  for (const address of known) {
    const body = { email: { address }, password: 'the password of somebody' };
    expect((await caller.call('POST', '/users', body))?.status).to.equal(201);
    const path = `/verify?email=${encodeURIComponent(address)}`;
    const sent = await caller.call('POST', path, undefined, { password: body.password });
    expect(sent?.status, sent?.body).to.equal(200);
  }
};

/** Rounds before the first that counts. */
const warmUp = 100;

const compare = async (options: object, pairs: Readonly<Record<string, Pair>>, rounds: number): Promise<string[]> => {
  const installation = await Installation.create();
  try {
    const passwordHash = { serverSideHash: true, ...options };
    await installation.configure({ passwordHash, privacy: { hideUnknownUsers: true } });
    const serving = await installation.serve();
    const caller = new Caller(serving.url);
    await prepared(caller);
    const figures: string[] = [];
    for (const [name, pair] of Object.entries(pairs)) {
      await measure(caller, pair, warmUp);
      figures.push(judged(name, await measure(caller, pair, rounds)));
    }
    caller.close();
    await serving.stop();
    return figures;
  } finally {
    await installation.dispose();
  }
};

/** Compares how long an unknown user and a wrong password take, and a wrong token. A round is one request of each. */
export const hidesUnknownUsers: Promised = {
  name: 'with hideUnknownUsers the time of an answer does not tell an unknown user from a wrong password, or from a wrong token',
  rounds: { short: 300, long: 2_000 },
  patience: 120_000,
  run: async (rounds) => {
    const figures: string[] = [];
    for (const [name, options] of Object.entries(algorithms)) {
      const pairs = { [name]: withPassword(), ...(name === 'simple' && { 'a token': withToken() }) };
      figures.push(...(await compare(options, pairs, rounds)));
    }
    return `${rounds} requests of each, medians of unknown and known, chance that unknown is longer: ${figures.join('; ')}`;
  },
};
