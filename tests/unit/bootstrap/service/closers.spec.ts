import { expect } from 'chai';
import { Closers } from '../../../../bootstrap/service/closers.ts';

describe('Closers', () => {
  it('close in reverse order, one after the other, each once', async () => {
    const closers = new Closers();
    const closed: string[] = [];
    for (const name of ['first', 'second'])
      closers.add(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        closed.push(name);
      });
    await Promise.all([closers.close(), closers.close()]);
    expect(closed).to.deep.equal(['second', 'first']);
  });

  it('close the others if one of them fails or takes too long', async () => {
    const closers = new Closers();
    const closed: string[] = [];
    closers.add(async () => closed.push('first'));
    closers.add(() => Promise.reject(new Error('cannot be closed')));
    closers.add(() => new Promise(() => undefined), 10);
    await closers.close(20);
    expect(closed).to.deep.equal(['first']);
  });

  it('tell each part how much time is left', async () => {
    const closers = new Closers();
    const remaining: number[] = [];
    closers.add(async (remainingMs) => remaining.push(remainingMs));
    closers.add(() => new Promise((resolve) => setTimeout(resolve, 60)));
    closers.add(async (remainingMs) => remaining.push(remainingMs));
    await closers.close(50);
    expect(remaining[0]).to.be.within(1, 50);
    expect(remaining[1]).to.equal(0);
  });
});
