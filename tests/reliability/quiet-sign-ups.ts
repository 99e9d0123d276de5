import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation } from '../process/installation.ts';
import { bytesOf, Caller } from './caller.ts';
import { sqlite } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';
import { addresses, judged, measure, type Pair, type TimedRequest, warmUpRounds } from './unknown-user-timing.ts';

const headers = { Prefer: 'quiet' };
/** Of the same form. Each is signed up once, because it is known afterwards. */
const unknown = (random: RandomStream): string => `user-${random.address()}`;

const bodyOf = (address: string) => ({ email: { address }, password: 'the password of a user' });
const signUp = (address: string) => ({ path: '/users', body: bodyOf(address), headers });

const signUps = (known: readonly string[]): Pair => ({
  status: 202,
  known: (random) => signUp(random.pick(known)),
  unknown: (random) => signUp(unknown(random)),
});

/** A request about an unknown address, after a sign-up that the service answers in the background. */
const nextAfter = (address: string): TimedRequest => ({
  path: `/users?email=${encodeURIComponent(`nobody-${address}`)}`,
  password: 'any',
  after: { ...signUp(address), status: 202 },
});

const nextRequests = (known: readonly string[]): Pair => ({
  status: 401,
  known: (random) => nextAfter(random.pick(known)),
  unknown: (random) => nextAfter(unknown(random)),
});

/** Of the probability from 0.5. */
const tolerance = 0.03;
/** The second figure is that of another request, which varies more. */
const toleranceOfNext = 0.15;

const compare = async (database: Database, rounds: number, random: RandomStream): Promise<string> => {
  const known = addresses(200, random);
  const installation = await Installation.create();
  const { yaml, dispose } = await database.open();
  try {
    await installation.configure({
      database: yaml,
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      privacy: { hideUnknownUsers: true },
      server: { publicUrl: 'https://users.example.com', port: 0, adminPort: 0 },
      email: { type: 'outbox', directory: 'mails', fromAddress: 'no-reply@example.com', queue: true },
      // Almost without an interval, so that every sign-up of a known address leads to a mail.
      signUp: { quiet: { url: 'https://app.example.com/sign-in', interval: '1ms' } },
    });
    const serving = await installation.serve();
    const caller = new Caller(serving.url);
    for (const address of known) expect((await caller.call('POST', '/users', bodyOf(address)))?.status).to.equal(201);
    await measure(caller, signUps(known), warmUpRounds, random);
    const figures = [judged('a sign-up', await measure(caller, signUps(known), rounds, random), tolerance)];
    const next = await measure(caller, nextRequests(known), Math.min(rounds, 300), random);
    figures.push(judged('the request after one', next, toleranceOfNext));
    const first = bytesOf(await caller.call('POST', '/users', bodyOf(unknown(random)), headers));
    for (const address of known)
      for (const subject of [address, unknown(random)])
        expect(bytesOf(await caller.call('POST', '/users', bodyOf(subject), headers))).to.deep.equal(first);
    caller.close();
    await serving.stop();
    return `${rounds} of each, ${2 * known.length + 1} responses compared byte by byte; medians of unknown and known, probability that unknown takes longer: ${figures.join('; ')}`;
  } finally {
    await installation.dispose();
    await dispose();
  }
};

/** A round is a sign-up of a known address and one of an unknown address. */
export const quietSignUps: Guarantee = {
  name: 'a quiet sign-up does not distinguish an unknown user from a known one, neither by its bytes nor by its time',
  rounds: { short: 2_000, long: 4_000 },
  timeoutMs: 300_000,
  run: (rounds, random) => compare(sqlite, rounds, random),
};

/** The same for a database on the network. */
export const remoteQuietSignUps = (database: Database): Guarantee => ({
  name: `a quiet sign-up does not distinguish an unknown user on ${database.name}`,
  rounds: { short: 0, long: 2_000 },
  timeoutMs: 300_000,
  run: (rounds, random) => compare(database, rounds, random),
});
