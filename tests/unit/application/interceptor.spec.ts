import { expect } from 'chai';
import { withTimeout } from '../../../application/interceptor.ts';
import { rejection } from '../../support/rejection.ts';

const late = () => new Error('late');
const never = new Promise<never>(() => {});

/** How many timers keep the process alive, once the one of the test itself has been set. */
const timers = async (): Promise<number> => {
  await new Promise((resolve) => setImmediate(resolve));
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
};

describe('work within a time', () => {
  it('gives what the work gives, and leaves no timer behind', async () => {
    const before = await timers();
    expect(await withTimeout(60_000, Promise.resolve('done'), late)).to.equal('done');
    expect(await timers()).to.equal(before);
  });

  it('fails as the work fails, and leaves no timer behind', async () => {
    const before = await timers();
    expect(await rejection(withTimeout(60_000, Promise.reject(new Error('broken')), late))).to.include({
      message: 'broken',
    });
    expect(await timers()).to.equal(before);
  });

  it('waits no longer than it may', async () => {
    expect(await rejection(withTimeout(5, never, late))).to.include({ message: 'late' });
  });

  it('takes no notice of a failure that comes too late', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      let fail = (_: Error): void => {};
      const work = new Promise<never>((_, reject) => {
        fail = reject;
      });
      await rejection(withTimeout(1, work, late));
      fail(new Error('afterwards'));
      // Unhandled rejections are reported once the microtasks are done.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
