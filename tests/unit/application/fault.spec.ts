import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';

/** The class as loaded from a second installation of the package. */
const copyOf = async (): Promise<typeof Fault> =>
  (await import(`../../../application/fault.ts?copy=${Date.now()}`)).Fault;

describe('a Fault', () => {
  it('is recognized from every installation of the package, and nothing else is', async () => {
    const Copy = await copyOf();
    expect(Copy).to.not.equal(Fault);
    expect(new Copy('store_unavailable', 'elsewhere')).to.be.instanceOf(Fault).and.to.be.instanceOf(Error);
    expect(new Fault('store_unavailable', 'here')).to.be.instanceOf(Copy);
    for (const other of [new Error('Fault'), { name: 'Fault', code: 'store_unavailable' }, null, undefined, 'Fault'])
      expect(other instanceof Fault).to.equal(false);
  });

  it('does not list its mark among its members', () => {
    expect(Reflect.ownKeys(new Fault('timed_out', 'late'))).to.not.satisfy((keys: readonly unknown[]) =>
      keys.some((key) => typeof key === 'symbol'),
    );
  });
});
