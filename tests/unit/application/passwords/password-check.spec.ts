import { expect } from 'chai';
import { InMemoryPasswordCache } from '../../../../adapters/password-cache.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { type CheckAids, PasswordCheck } from '../../../../application/passwords/password-check.ts';
import { type PasswordPolicy, Passwords } from '../../../../application/passwords/passwords.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { rightOf } from '../../../support/outcomes.ts';
import { usualPolicy } from '../wired-service.ts';

const open = async (changes: Partial<PasswordPolicy> = {}, others: CheckAids = {}) => {
  const hash = new RecordingHash(await sha256.open({}, silentContext));
  const verified = new InMemoryPasswordCache({ entries: 10, ttl: 60_000 });
  const policy = { ...usualPolicy, ...changes };
  const aids = { ...others, verified };
  const check = new PasswordCheck(hash, policy, Number.POSITIVE_INFINITY, aids);
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  return { hash, verified, check, user, passwords: new Passwords(hash, policy, undefined, aids) };
};

describe('a check of a password that is remembered', () => {
  it('is not made again', async () => {
    const { hash, check, user } = await open();
    for (let count = 0; count < 3; count++) expect(await check.passes(user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.deep.equal(['Secret1']);
  });

  it('is made for every wrong password, each time', async () => {
    const { hash, check, user } = await open();
    for (const supplied of ['Secret1', 'wrong', 'wrong', 'Secret1', 'wrong']) {
      expect(await check.passes(user, supplied), supplied).to.equal(supplied === 'Secret1');
    }
    expect(hash.checked).to.deep.equal(['Secret1', 'wrong', 'wrong', 'wrong']);
  });

  it('is made again when the stored form is another, also of the same password', async () => {
    const { hash, check, user } = await open();
    expect(await check.passes(user, 'Secret1')).to.equal(true);
    expect(await check.passes({ ...user, password: await hash.hash('another') }, 'Secret1')).to.equal(false);
    expect(await check.passes({ ...user, password: await hash.hash('Secret1') }, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(3);
  });

  it('is made for another user with the same stored form', async () => {
    const { hash, check, user } = await open();
    expect(await check.passes(user, 'Secret1')).to.equal(true);
    const { email } = userOf('john@example.com');
    expect(await check.passes({ ...user, email }, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(2);
  });

  it('is always made for an unknown user, who never passes', async () => {
    const { hash, verified, check } = await open();
    for (let count = 0; count < 2; count++) {
      // Also with the password that nobody has.
      expect(await check.passes(undefined, hash.hashed[1] ?? 'wrong')).to.equal(false);
    }
    expect(hash.checked).to.have.lengthOf(2);
    expect(verified.hits).to.equal(0);
  });

  it('is looked for and not found, for an unknown user as for a wrong password: the counts tell nobody which', async () => {
    const { verified, check, user } = await open({ hideUnknownUsers: true });
    for (const found of [user, undefined]) {
      const before = verified.misses;
      expect(await check.passes(found, 'wrong')).to.equal(false);
      expect([verified.hits, verified.misses - before]).to.deep.equal([0, 1]);
    }
  });

  it('is not made again for a mistake that was forgiven, and is for another one', async () => {
    const { hash, check, user } = await open({ allowCommonMistakes: true });
    for (let count = 0; count < 2; count++) expect(await check.passes(user, 'sECRET1')).to.equal(true);
    const checked = hash.checked.length;
    expect(await check.passes(user, 'sECRET1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(checked);
    expect(await check.passes(user, 'Secret1x')).to.equal(true);
    expect(hash.checked.length).to.be.above(checked);
  });

  it('is made again as long as the stored form is to be replaced', async () => {
    const offered: string[] = [];
    const renewal = {
      offer: (_: unknown, password: string) => offered.push(password) > 0,
      formerOf: () => undefined,
    };
    const { hash, check, user } = await open({}, { renewal });
    for (let count = 0; count < 2; count++) expect(await check.passes(user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(2);
    expect(offered).to.deep.equal(['Secret1', 'Secret1']);
  });

  it('never decides whether an update brings a new password', async () => {
    const { hash, passwords, user } = await open({ allowCommonMistakes: true });
    rightOf(await passwords.admit(user, { key: keyOf(user.email.address), supplied: 'Secret1x' }));
    const stored = rightOf(await passwords.revision('Secret1x', 'Secret1x')(user.password));
    expect(stored).not.to.equal(user.password);
    expect(await hash.verify(stored, 'Secret1x')).to.equal(true);
  });
});
