import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';

/** The class as a second installation of the package brings it. */
const copyOf = async (): Promise<typeof Fault> =>
  (await import(`../../../application/fault.ts?copy=${Date.now()}`)).Fault;

describe('a Fault', () => {
  it('is known whichever installation of the package made it, and nothing else is', async () => {
    const Copy = await copyOf();
    expect(Copy).to.not.equal(Fault);
    expect(new Copy('store_unavailable', 'elsewhere')).to.be.instanceOf(Fault).and.to.be.instanceOf(Error);
    expect(new Fault('store_unavailable', 'here')).to.be.instanceOf(Copy);
    for (const other of [new Error('Fault'), { name: 'Fault', code: 'store_unavailable' }, null, undefined, 'Fault'])
      expect(other instanceof Fault).to.equal(false);
  });

  it('shows its mark to nobody who lists its members', () => {
    expect(Reflect.ownKeys(new Fault('timed_out', 'late'))).to.not.satisfy((keys: readonly unknown[]) =>
      keys.some((key) => typeof key === 'symbol'),
    );
  });
});
