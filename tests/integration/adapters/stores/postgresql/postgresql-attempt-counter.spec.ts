import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { LoginThrottle } from '../../../../../application/passwords/login-throttle.ts';
import type { Attempt, AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import {
  counterOf,
  countersOf,
  expectNoFreeGuesses,
  expectSignUpsAfter,
} from '../../../../support/attempt-counters.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

const limits: AttemptLimits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: '192.0.2.7' };

describe('the attempt counter on PostgreSQL', () => {
  const url = postgresqlUrl();

  attemptCounterContract('postgresql', async (limits) => {
    const scratch = await ScratchSchema.create(url());
    const { one, other } = await countersOf([await scratch.open(), await scratch.open()], limits);
    await one.check();
    const stored = async () => JSON.stringify(await scratch.query(`SELECT * FROM ${scratch.schema}.users_attempts`));
    return { one, other, stored, dispose: () => scratch.dispose() };
  });
});

describe('the table of the attempt counter on PostgreSQL', () => {
  const url = postgresqlUrl();
  let scratch: ScratchSchema;
  let table: string;
  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
    table = `${scratch.schema}.users_attempts`;
  });
  afterEach(() => scratch.dispose());

  const open = async () => counterOf(await scratch.open(), limits);

  it('loses counts an hour after their end, some with each new one', async () => {
    const counter = await open();
    await counter.status(jane);
    const hourAgo = Date.now() - 3_600_000;
    await scratch.query(
      `INSERT INTO ${table} SELECT 'old ' || n, 1, ${hourAgo - 5_000} FROM generate_series(1, 25) n
       UNION ALL SELECT 'recent', 1, ${hourAgo + 60_000} UNION ALL SELECT 'counted', 1, ${Date.now() + 60_000}`,
    );
    const old = async () => (await scratch.query(`SELECT key FROM ${table} WHERE key LIKE 'old %'`)).length;
    const left = [await old()];
    for (let count = 0; count < 3; count++) {
      await counter.recordFailure({ user: `user-${count}`, client: undefined });
      left.push(await old());
    }
    expect(left).to.deep.equal([25, 15, 5, 0]);
    const others = await scratch.query(`SELECT key FROM ${table} WHERE key NOT LIKE 'user:%' ORDER BY key`);
    expect(others.map(({ key }) => key)).to.deep.equal(['counted', 'recent']);
  });

  it('is changed by a failure that waits for another one without keeping further ones waiting', async () => {
    const counter = await open();
    const [one, other] = [
      { ...jane, client: undefined },
      { user: 'other', client: undefined },
    ];
    await counter.recordFailure(one);
    const [row] = await scratch.query(`SELECT key FROM ${table}`);
    await counter.recordFailure(other);
    await scratch.query(`UPDATE ${table} SET expire = 1`);
    const release = await scratch.lock(`SELECT FROM ${table} WHERE key = '${row?.key}' FOR UPDATE`);
    const waiting = counter.recordFailure(one);
    await scratch.waiting(1);
    // With the former count of `other` removed first, it would wait here, and two of them could wait for each other.
    await counter.recordFailure(other);
    await release();
    await waiting;
    for (const attempt of [one, other]) expect((await counter.status(attempt)).failures).to.equal(1);
  });

  it('is unavailable while no server answers', async () => {
    const store = await scratch.open(
      { connectionString: 'postgresql://latchkey@127.0.0.1:1/postgres' },
      { operationTimeoutMs: 1_200 },
    );
    const counter = await counterOf(store, limits);
    const asked = [counter.status(jane), counter.recordFailure(jane), counter.reset(jane.user), counter.check()];
    for (const fault of await Promise.all(asked.map(faultOf))) expect(fault).to.include({ code: 'store_unavailable' });
  });

  it('refuses damaged counts of a user, and starts that of a client address again', async () => {
    const counter = await open();
    for (const [index, damage] of ['expire = NULL', 'points = -1', 'points = -2147483648'].entries()) {
      const attempt = { user: `user-${index}@example.com`, client: `192.0.2.${index}` };
      await counter.recordFailure(attempt);
      await scratch.query(`UPDATE ${table} SET ${damage}`);
      expect(await faultOf(counter.status(attempt)), damage).to.include({
        code: 'store_rejected',
        record: attempt.user,
      });
      await counter.recordFailure(attempt).catch(() => undefined);
      const other = { ...attempt, user: 'other@example.com' };
      await counter.reset(other.user);
      expect((await counter.status(other)).blockedForMs, damage).to.equal(0);
      await counter.reset(attempt.user);
      expect(await counter.status(attempt), damage).to.deep.equal({ blockedForMs: 0, failures: 0 });
    }
  });

  it('starts the sign-ups of a client address again whose count is damaged', async () => {
    await expectSignUpsAfter(await open(), () => scratch.query(`UPDATE ${table} SET points = -5, expire = NULL`));
  });

  it('stays ready, and counts other failures, after one met a damaged count', async () => {
    const counter = await open();
    const throttle = new LoginThrottle(counter, limits, 30_000);
    const damage = async (): Promise<boolean> => {
      await counter.recordFailure(jane);
      await scratch.query(`UPDATE ${table} SET points = 2147483647, expire = NULL`);
      return false;
    };
    expect(await faultOf(throttle.run(jane, damage))).to.include({ code: 'store_rejected' });
    await throttle.check().catch(() => undefined);
    expect(await throttle.check()).to.be.a('string');
    expect(await throttle.run({ ...jane, user: 'bob@example.com' }, async () => true)).to.deep.equal(right(true));
  });

  it('allows no free guesses while the server refuses its writes', async () => {
    await expectNoFreeGuesses(await open(), limits, {
      refuseWrites: () => scratch.query(`ALTER TABLE ${table} ADD CONSTRAINT none CHECK (false) NOT VALID`),
      acceptWrites: () => scratch.query(`ALTER TABLE ${table} DROP CONSTRAINT none`),
    });
  });
});
