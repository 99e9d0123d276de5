import { expect } from 'chai';
import { MissingDatabase } from '../../../../adapters/kit/definition.ts';
import { Fault } from '../../../../application/fault.ts';

describe('MissingDatabase', () => {
  it('is a Fault with the path', () => {
    const missing = new MissingDatabase('/data/users.db', true);
    expect(missing).to.be.instanceOf(Fault).and.instanceOf(MissingDatabase);
    expect(missing.code).to.equal('store_rejected');
    expect(missing.message).to.equal('/data/users.db: the database does not exist');
  });

  it('recognizes the class of another copy of the package', () => {
    class Copy extends Fault {
      readonly canBeCreated = false;
    }
    expect(new Copy('store_rejected', 'missing')).to.be.instanceOf(MissingDatabase);
  });

  it('recognizes no other error', () => {
    for (const other of [new Fault('store_rejected', 'no'), Object.assign(new Error(), { canBeCreated: true }), null])
      expect(other instanceof MissingDatabase).to.equal(false);
  });
});
