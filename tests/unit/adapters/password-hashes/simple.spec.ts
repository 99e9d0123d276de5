import { expect } from 'chai';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import { passwordHashContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const open = () => simple.open({}, silentContext);

passwordHashContract('simple', open);

describe('simple', () => {
  it('stores the password unchanged', async () => {
    expect(await (await open()).hash('5e884898da28')).to.equal('5e884898da28');
  });

  it('does not accept the replacement character for a stored unpaired surrogate', async () => {
    const hash = await open();
    for (const stored of ['\ud800', '\udfff']) expect(await hash.verify(stored, '\ufffd')).to.equal(false);
  });

  it('has no options', () => {
    expect(simple.configuration.decode({ cost: 10 })._tag).to.equal('Left');
  });
});
