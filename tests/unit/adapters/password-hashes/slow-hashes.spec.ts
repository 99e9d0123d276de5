import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { WorkQueue } from '../../../../adapters/concurrency/work-queue.ts';
import { argon2 } from '../../../../adapters/password-hashes/argon2.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { hashConcurrencyOf, overloaded, slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { Fault } from '../../../../application/fault.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

/** A job that a test ends. */
class Job {
  started = false;
  end: () => void = () => {};
  fail: (error: Error) => void = () => {};
  private readonly ended = new Promise<void>((resolve, reject) => {
    this.end = resolve;
    this.fail = reject;
  });

  constructor(readonly name: string) {}

  readonly work = async (): Promise<string> => {
    this.started = true;
    await this.ended;
    return this.name;
  };
}

const jobs = (count: number): Job[] => Array.from({ length: count }, (_, at) => new Job(`job ${at}`));
const faultOf = async (outcome: Promise<unknown>): Promise<Fault> => {
  const error = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Fault)) throw new Error('expected a Fault');
  return error;
};

describe('the queue of slow hashes', () => {
  it('runs jobs up to the concurrency limit, and others in order of arrival', async () => {
    const queue = new WorkQueue({ concurrency: 2, maxWaiting: 10, maxWaitMs: 10_000 }, overloaded);
    const all = jobs(6);
    const outcomes = all.map((job) => queue.run(job.work));
    const started = () => all.map((job) => job.started);

    expect(started()).to.deep.equal([true, true, false, false, false, false]);
    expect([queue.active, queue.length]).to.deep.equal([2, 4]);
    all[1]!.end();
    expect(await outcomes[1]).to.equal('job 1');
    expect(started()).to.deep.equal([true, true, true, false, false, false]);
    all[0]!.end();
    await outcomes[0];
    expect(started()).to.deep.equal([true, true, true, true, false, false]);
    for (const job of all) job.end();
    expect(await Promise.all(outcomes)).to.deep.equal(all.map((job) => job.name));
    expect([queue.active, queue.length, queue.rejected]).to.deep.equal([0, 0, 0]);
  });

  it('starts no job before those that wait', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 10, maxWaitMs: 10_000 }, overloaded);
    const order: string[] = [];
    const late = () => queue.run(async () => void order.push('late'));
    const first = queue.run(async () => void order.push('first'));
    const second = queue.run(async () => void order.push('second'));
    await Promise.all([first.then(late), second]);
    expect(order).to.deep.equal(['first', 'second', 'late']);
  });

  it('continues after a failed job, whose caller gets the error', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 10, maxWaitMs: 10_000 }, overloaded);
    const [failing, following] = [new Job('failing'), new Job('following')];
    const failed = queue.run(failing.work).catch((error: unknown) => error);
    const followed = queue.run(following.work);
    const thrown = queue.run(() => {
      throw new RangeError('at once');
    });
    following.end();
    failing.fail(new Error('out of memory'));
    expect(await failed)
      .to.be.an('error')
      .with.property('message', 'out of memory');
    expect(await followed).to.equal('following');
    expect(await thrown.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    expect([queue.active, queue.length]).to.deep.equal([0, 0]);
  });

  it('rejects a job when it is full', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 2, maxWaitMs: 2000 }, overloaded);
    const all = jobs(4);
    const outcomes = all.slice(0, 3).map((job) => queue.run(job.work));
    const fault = await faultOf(queue.run(all[3]!.work));
    expect(fault).to.include({ code: 'overloaded', retryAfterSeconds: 2 });
    expect([queue.length, queue.rejected]).to.deep.equal([2, 1]);
    for (const job of all) job.end();
    await Promise.all(outcomes);
    expect(all.map((job) => job.started)).to.deep.equal([true, true, true, false]);
  });

  it('rejects a job that waited too long, and never runs it', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 10, maxWaitMs: 25 }, overloaded);
    const [running, waiting, next] = [new Job('running'), new Job('waiting'), new Job('next')];
    const outcome = queue.run(running.work);
    const began = performance.now();
    const fault = await faultOf(queue.run(waiting.work));
    expect(performance.now() - began).to.be.at.least(20);
    expect(fault).to.include({ code: 'overloaded', retryAfterSeconds: 2 });
    expect([queue.length, queue.rejected]).to.deep.equal([0, 1]);

    running.end();
    await outcome;
    next.end();
    expect(await queue.run(next.work)).to.equal('next');
    expect(waiting.started).to.equal(false);
    expect(queue.active).to.equal(0);
  });

  it('keeps its limits for any sequence of jobs', async () => {
    const queue = new WorkQueue({ concurrency: 3, maxWaiting: 20, maxWaitMs: 10_000 }, overloaded);
    let running = 0;
    let most = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) =>
        queue.run(async () => {
          most = Math.max(most, ++running);
          await nextTurn();
          running--;
          if (at % 5 === 0) throw new Error('now and then');
        }),
      ),
    );
    expect(most).to.equal(3);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(18);
    expect([queue.active, queue.length, queue.rejected]).to.deep.equal([0, 0, 27]);
  });

  it('allows one hash per core, limited by the threads of libuv', () => {
    expect(hashConcurrencyOf(2, {})).to.equal(2);
    expect(hashConcurrencyOf(16, {})).to.equal(4);
    expect(hashConcurrencyOf(16, { UV_THREADPOOL_SIZE: '12' })).to.equal(12);
    expect(hashConcurrencyOf(16, { UV_THREADPOOL_SIZE: '64' })).to.equal(16);
    // libuv makes one thread of these.
    for (const size of ['0', '', 'many']) expect(hashConcurrencyOf(16, { UV_THREADPOOL_SIZE: size })).to.equal(1);
  });

  it('is shared by bcrypt and argon2', async () => {
    const slow = await bcrypt.open({ cost: 8 }, silentContext);
    const other = await argon2.open({ memoryKiB: 19_456, passes: 2, parallelism: 1 }, silentContext);
    const outcomes = Array.from({ length: 4 }, () => slow.hash('secret'));
    const active = slowHashes.active;
    const waiting = slowHashes.length;
    outcomes.push(other.hash('secret'));
    expect(active + waiting).to.equal(4);
    expect(slowHashes.active + slowHashes.length).to.equal(5);
    await Promise.all(outcomes);
    expect([slowHashes.active, slowHashes.length]).to.deep.equal([0, 0]);
  });

  for (const [name, open] of [
    ['bcrypt', () => bcrypt.open({ cost: 10 }, silentContext)],
    ['argon2', () => argon2.open({ memoryKiB: 19_456, passes: 4, parallelism: 1 }, silentContext)],
  ] as const) {
    it(`does not block the event loop while ${name} runs`, async () => {
      const hash = await open();
      let done = false;
      const work = hash.hash('secret').then((stored) => hash.verify(stored, 'secret'));
      void work.then(() => {
        done = true;
      });
      let turns = 0;
      while (!done) {
        await nextTurn();
        turns++;
      }
      expect(await work).to.equal(true);
      expect(turns).to.be.above(50);
    });
  }
});
