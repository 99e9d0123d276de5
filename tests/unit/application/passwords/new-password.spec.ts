import { expect } from 'chai';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { type PasswordPolicy, passwordServices, usualPolicy } from '../wired-service.ts';

const open = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash) => {
  const hash = new RecordingHash(inner ?? (await sha256.open({}, silentContext)));
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  hash.hashed.length = 0;
  return { hash, user, ...passwordServices(hash, { ...usualPolicy, ...policy }) };
};

describe('the stored hash of a new password', () => {
  it('is a hash if the service hashes', async () => {
    const { hash, newPassword } = await open();
    const stored = rightOf(await newPassword.storedHash('Secret1'));
    expect(stored).to.have.length(80);
    expect(await hash.verify(stored, 'Secret1')).to.equal(true);
  });

  it('is the password itself if clients hash', async () => {
    const { newPassword } = await open({ serverSideHash: false });
    expect(rightOf(await newPassword.storedHash('5e884898da28'))).to.equal('5e884898da28');
  });

  it('is refused if the algorithm would ignore part of it', async () => {
    const algorithm = await bcrypt.open({ cost: 4 }, silentContext);
    const hashing = passwordServices(algorithm, usualPolicy).newPassword;
    for (const password of ['p'.repeat(73), 'é'.repeat(37), '🔑'.repeat(19), 'a\0a']) {
      expect(leftOf(await hashing.storedHash(password))).to.deep.equal({ code: 'unsuitable_password' });
    }
    for (const password of ['p'.repeat(72), 'é'.repeat(36), '🔑'.repeat(18)])
      rightOf(await hashing.storedHash(password));
    const passing = passwordServices(algorithm, { ...usualPolicy, serverSideHash: false }).newPassword;
    expect(leftOf(await passing.storedHash('p'.repeat(73)))).to.deep.equal({ code: 'unsuitable_password' });
    expect(rightOf(await passing.storedHash('p'.repeat(72)))).to.have.length(72);
  });
});
