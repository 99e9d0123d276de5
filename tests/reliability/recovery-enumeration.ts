import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { bytesOf, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { type Addresses, addresses, judged, measure, type Pair, warmUpRounds } from './unknown-user-timing.ts';

/** As many of each, so that counts of wrong tokens are as often the first ones of their address. */
const count = 200;

const requestPath = (address: string): string => `/recovery?email=${encodeURIComponent(address)}`;
const wrongToken = (address: string) => ({ email: { address }, token: 'a wrong token', password: 'a new password' });

const requests = ({ known, unknown }: Addresses): Pair => ({
  status: 202,
  known: (random) => ({ path: requestPath(random.pick(known)), isPost: true }),
  unknown: (random) => ({ path: requestPath(random.pick(unknown)), isPost: true }),
});

const confirmations = ({ known, unknown }: Addresses): Pair => ({
  status: 400,
  known: (random) => ({ path: '/recovery/confirm', body: wrongToken(random.pick(known)) }),
  unknown: (random) => ({ path: '/recovery/confirm', body: wrongToken(random.pick(unknown)) }),
});

/** A request about an unknown address, after one that the service processes in the background. */
const nextAfter = (address: string) => ({
  path: `/users?email=${encodeURIComponent(`nobody-${address}`)}`,
  password: 'any',
  after: { path: requestPath(address), isPost: true, status: 202 } as const,
});

const nextRequests = ({ known, unknown }: Addresses): Pair => ({
  status: 404,
  known: (random) => nextAfter(random.pick(known)),
  unknown: (random) => nextAfter(random.pick(unknown)),
});

/** Compares the responses to every address, and returns how many were the same. */
const compareBytes = async (caller: Caller, { known, unknown }: Addresses, rounds: number): Promise<number> => {
  const compared: unknown[][] = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const some of [known, unknown]) {
      const address = some[round % some.length] ?? '';
      compared[0]?.push(bytesOf(await caller.call('POST', requestPath(address))));
      compared[1]?.push(bytesOf(await caller.call('POST', '/recovery/confirm', wrongToken(address))));
    }
  for (const [first, ...others] of compared) for (const other of others) expect(other).to.deep.equal(first);
  return compared.reduce((sum, { length }) => sum + length, 0);
};

const users = async (caller: Caller, known: readonly string[]): Promise<void> => {
  for (const address of known) {
    const created = await caller.call('POST', '/users', { email: { address }, password: 'the password of a user' });
    expect(created?.status).to.equal(201);
  }
};

/** A round is a request for a recovery and a confirmation with a wrong token, for a known and an unknown address each. */
export const recoveryEnumeration: Guarantee = {
  name: 'neither the bytes nor the time of a response about a recovery distinguish an unknown address from a known one',
  rounds: { short: 300, long: 2_000 },
  timeoutMs: 240_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    try {
      // Almost without an interval, so that every request for a known address leads to a mail.
      const recovery = {
        pageUrl: 'https://app.example.com/new-password',
        attempts: 1_000,
        resendInterval: '1ms',
      };
      await installation.configure({ passwordHash: { algorithm: 'sha256', serverSideHash: true }, recovery });
      const serving = await installation.serve();
      const caller = new Caller(serving.url);
      const all = { known: addresses(count, random), unknown: addresses(count, random) };
      await users(caller, all.known);
      const figures: string[] = [];
      for (const [name, pair] of Object.entries({
        'a request': requests(all),
        'a wrong token': confirmations(all),
        'the request after one': nextRequests(all),
      })) {
        await measure(caller, pair, warmUpRounds, random);
        figures.push(judged(name, await measure(caller, pair, rounds, random)));
      }
      const same = await compareBytes(caller, all, Math.min(rounds, count));
      caller.close();
      await serving.stop();
      return `${rounds} of each, ${same} responses compared byte by byte; medians of unknown and known, probability that unknown takes longer: ${figures.join('; ')}`;
    } finally {
      await installation.dispose();
    }
  },
};
