import { expect } from 'chai';
import { Fault } from '../../../../application/fault.ts';
import { Closers } from '../../../../bootstrap/service/closers.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

describe('Closers', () => {
  it('close in reverse order, one after the other, each once', async () => {
    const closers = new Closers(silentContext.log);
    const closed: string[] = [];
    for (const name of ['first', 'second'])
      closers.add('part', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        closed.push(name);
      });
    await Promise.all([closers.close(), closers.close()]);
    expect(closed).to.deep.equal(['second', 'first']);
  });

  it('close the others if one of them fails or takes too long, which is logged', async () => {
    const warnings: unknown[] = [];
    const closers = new Closers({ ...silentContext.log, warn: (fields) => warnings.push(fields) });
    const closed: string[] = [];
    closers.add('first', async () => closed.push('first'));
    closers.add('failing', () => Promise.reject(new Fault('store_unavailable', 'no connection')));
    closers.add('hanging', () => new Promise(() => undefined), 10);
    await closers.close(20);
    expect(closed).to.deep.equal(['first']);
    expect(warnings).to.deep.equal([
      { part: 'hanging', reason: 'it took longer than 20 ms' },
      { part: 'failing', reason: 'no connection' },
    ]);
  });

  it('tell each part how much time is left', async () => {
    const closers = new Closers(silentContext.log);
    const remaining: number[] = [];
    closers.add('part', async (remainingMs) => remaining.push(remainingMs));
    closers.add('part', () => new Promise((resolve) => setTimeout(resolve, 60)));
    closers.add('part', async (remainingMs) => remaining.push(remainingMs));
    await closers.close(50);
    expect(remaining[0]).to.be.within(1, 50);
    expect(remaining[1]).to.equal(0);
  });
});
