import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { StrengthEstimator } from '../../../../adapters/password-rules/strength-estimator.ts';
import { Fault } from '../../../../application/fault.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

describe('StrengthEstimator', () => {
  const { log } = silentContext;
  const estimator = new StrengthEstimator(log);
  after(() => estimator.close());

  it('gives low scores to common passwords, patterns and words, and high ones to random and long passwords', async () => {
    for (const password of ['password', 'p@$$w0rd', 'qwertyuiop', '11111111', 'abcdefgh', 'liverpool1'])
      expect(await estimator.score(password, []), password).to.be.at.most(1);
    for (const password of ['k7#Qz!m2Wp9x', 'correct horse battery staple'])
      expect(await estimator.score(password, []), password).to.equal(4);
  });

  it('rates related texts as easy to guess', async () => {
    const password = 'zaphodbeeblebrox';
    const score = await estimator.score(password, []);
    expect(await estimator.score(password, [password])).to.be.below(score);
  });

  it('rates each password by itself when many come at once', async () => {
    const passwords = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'password' : `k7#Qz!m2Wp9x${index}`));
    const scores = await Promise.all(passwords.map((password) => estimator.score(password, [])));
    expect(scores).to.deep.equal(passwords.map((_, index) => (index % 2 === 0 ? 0 : 4)));
  });

  it('rates the start of a very long password, while the event loop runs', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
    }, 1);
    expect(await estimator.score('k7#Qz!m2'.repeat(128), [])).to.be.within(0, 4);
    expect(await estimator.score(`${'k7#Qz!m2Wp9x'}${'a'.repeat(100_000)}`, [])).to.equal(4);
    clearInterval(timer);
    expect(turns).to.be.above(1);
  });

  it('rates 32 characters, which bounds the time for every longer password', async () => {
    const random = 'k7#Qz!m2Wp9x';
    expect(await estimator.score('a'.repeat(20) + random, [])).to.equal(4);
    expect(await estimator.score('a'.repeat(32) + random, [])).to.be.at.most(1);
    for (const digits of ['5270', '8361940275180634'])
      expect(await estimator.score(digits.repeat(64).slice(0, 32), [])).to.equal(
        await estimator.score(digits.repeat(64), []),
      );
  });

  it('refuses passwords when too many wait', async () => {
    const results = await Promise.allSettled(Array.from({ length: 150 }, () => estimator.score('password', [])));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).to.have.lengthOf(50);
    for (const fault of refused) expect(fault).to.be.instanceOf(Fault).and.to.include({ code: 'overloaded' });
  });

  it('refuses passwords that waited too long, without rating them', async () => {
    const impatient = new StrengthEstimator(log, undefined, 20);
    // Each takes milliseconds, on any machine: longer than the limit altogether.
    const passwords = Array.from({ length: 100 }, () => randomBytes(32).toString('hex'));
    const results = await Promise.allSettled(passwords.map((password) => impatient.score(password, [])));
    await impatient.close();
    expect(results.at(-1)).to.deep.include({ status: 'rejected' });
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).to.be.instanceOf(Fault).and.to.include({ code: 'overloaded' });
  });

  it('starts another thread after one that failed', async () => {
    let starts = 0;
    const script = `require('node:worker_threads').parentPort.on('message', ({ id }) =>
      require('node:worker_threads').parentPort.postMessage({ id, score: 3 }))`;
    const failing = new StrengthEstimator(log, () => {
      starts++;
      return new Worker(starts === 1 ? 'throw new Error("no memory")' : script, { eval: true });
    });
    expect(await rejection(failing.score('password', []))).to.include({ code: 'overloaded' });
    expect(await failing.score('password', [])).to.equal(3);
    await failing.close();
  });
});
