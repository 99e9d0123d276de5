import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Installation } from '../../process/installation.ts';
import { Caller } from '../caller.ts';
import type { Guarantee } from '../guarantee.ts';
import type { RandomStream } from '../random.ts';
import type { ServerPair } from './server-pair.ts';

const writers = 16;
/** How far the standby is behind, how long writes run, and the age at which they must have reached it. */
const lagMs = 200;
const runMs = 2_000;
const maxLostMs = 1_500;

/** The users that a service acknowledged, with the times. */
interface Acknowledged {
  readonly address: string;
  readonly at: number;
}

/** Creates users until it is told to stop. */
const createUntil = async (
  caller: Caller,
  users: Acknowledged[],
  isOver: () => boolean,
  random: RandomStream,
): Promise<void> => {
  while (!isOver()) {
    const address = random.address();
    const response = await caller.call('POST', '/users', { email: { address }, password: 'an asynchronous standby' });
    if (response?.status === 201) users.push({ address, at: performance.now() });
  }
};

/** Kills a primary whose standby is behind, and promotes it. Returns the acknowledged users, those that are lost, and the age of the oldest. */
const loseWrites = async (pair: ServerPair, caller: Caller, table: string, random: RandomStream) => {
  const primary = await pair.makeAsynchronous();
  const users: Acknowledged[] = [];
  let isOver = false;
  const creating = Array.from({ length: writers }, (_, writer) =>
    createUntil(caller, users, () => isOver, random.stream(writer)),
  );
  pair.replication[primary]!.delay(lagMs);
  await delay(runMs);
  const killed = performance.now();
  await pair.servers[primary]!.kill();
  await pair.promote(1 - primary);
  isOver = true;
  await Promise.all(creating);
  const keys = await pair.servers[1 - primary]!.query(`SELECT json_agg(key)::text FROM ${table}`);
  const kept = new Set<string>(JSON.parse(String(keys)));
  const lost = users.filter(({ address }) => !kept.has(address));
  // What is delayed must not be delivered any more.
  pair.replication[primary]!.reset();
  await pair.restore();
  await pair.rebuild(primary);
  return { users: users.length, lost: lost.length, oldestMs: killed - Math.min(...lost.map(({ at }) => at)) };
};

/** What operators choose with an asynchronous standby. */
export const asynchronousStandby = (pair: () => ServerPair): Guarantee => ({
  name: 'a PostgreSQL standby that is asynchronous loses the acknowledged writes that it had not received, and no others',
  rounds: { short: 1, long: 20 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    const table = `asynchronous_${Date.now()}`;
    try {
      const database = { type: 'postgresql', connectionString: pair().connectionString(0), table };
      await installation.configure({ database });
      const caller = new Caller((await installation.serve()).url);
      let [users, lost, oldestMs] = [0, 0, 0];
      for (let round = 0; round < rounds; round++) {
        const lostNow = await loseWrites(pair(), caller, table, random.stream('round', round));
        users += lostNow.users;
        lost += lostNow.lost;
        oldestMs = Math.max(oldestMs, lostNow.oldestMs);
      }
      caller.close();
      expect(lost, 'lost writes').to.be.greaterThan(0);
      expect(oldestMs, 'age of the oldest lost write').to.be.lessThan(maxLostMs);
      return `${rounds} SIGKILLs of a primary whose standby was ${lagMs} ms behind: ${lost} of ${users} acknowledged writes lost, the oldest ${Math.round(oldestMs)} ms before`;
    } finally {
      await installation.dispose();
    }
  },
});
