import { expect } from 'chai';
import { InMemoryPasswordCache } from '../../../../adapters/in-memory-password-cache.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import type { CheckHelpers } from '../../../../application/passwords/password-check.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { rightOf } from '../../../support/outcomes.ts';
import { type PasswordPolicy, passwordServices, usualPolicy } from '../wired-service.ts';

const open = async (changes: Partial<PasswordPolicy> = {}, helpers: Partial<CheckHelpers> = {}) => {
  const hash = new RecordingHash(await sha256.open({}, silentContext));
  const cache = new InMemoryPasswordCache({ entries: 10, ttlMs: 60_000 });
  const services = passwordServices(hash, { ...usualPolicy, ...changes }, { ...helpers, cache });
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  return { hash, cache, user, ...services };
};

describe('a password check with a cache', () => {
  it('verifies a password once', async () => {
    const { hash, check, user } = await open();
    for (let count = 0; count < 3; count++) expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.deep.equal(['Secret1']);
  });

  it('verifies every wrong password, each time', async () => {
    const { hash, check, user } = await open();
    for (const supplied of ['Secret1', 'wrong', 'wrong', 'Secret1', 'wrong']) {
      expect(await check.matches(user, supplied), supplied).to.equal(supplied === 'Secret1');
    }
    expect(hash.checked).to.deep.equal(['Secret1', 'wrong', 'wrong', 'wrong']);
  });

  it('verifies again if the stored hash has changed, also to one of the same password', async () => {
    const { hash, check, user } = await open();
    expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(await check.matches({ ...user, password: await hash.hash('another') }, 'Secret1')).to.equal(false);
    expect(await check.matches({ ...user, password: await hash.hash('Secret1') }, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(3);
  });

  it('verifies the same stored hash of another user', async () => {
    const { hash, check, user } = await open();
    expect(await check.matches(user, 'Secret1')).to.equal(true);
    const { email } = userOf('john@example.com');
    expect(await check.matches({ ...user, email }, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(2);
  });

  it('always verifies the password of an unknown user, and never accepts it', async () => {
    const { hash, cache, check } = await open();
    for (let count = 0; count < 2; count++) {
      // Also with the decoy password.
      expect(await check.matches(undefined, hash.hashed[1] ?? 'wrong')).to.equal(false);
    }
    expect(hash.checked).to.have.lengthOf(2);
    expect(cache.hits).to.equal(0);
  });

  it('counts a miss for an unknown user as for a wrong password, so that metrics do not reveal which', async () => {
    const { cache, check, user } = await open({ hideUnknownUsers: true });
    for (const found of [user, undefined]) {
      const before = cache.misses;
      expect(await check.matches(found, 'wrong')).to.equal(false);
      expect([cache.hits, cache.misses - before]).to.deep.equal([0, 1]);
    }
  });

  it('verifies the same typo once, and another typo again', async () => {
    const { hash, check, user } = await open({ allowCommonMistakes: true });
    for (let count = 0; count < 2; count++) expect(await check.matches(user, 'sECRET1')).to.equal(true);
    const checked = hash.checked.length;
    expect(await check.matches(user, 'sECRET1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(checked);
    expect(await check.matches(user, 'Secret1x')).to.equal(true);
    expect(hash.checked.length).to.be.above(checked);
  });

  it('verifies again as long as the stored hash is outdated', async () => {
    const scheduled: string[] = [];
    const rehasher = {
      schedule: (_: unknown, password: string) => scheduled.push(password) > 0,
      formerHash: () => undefined,
    };
    const { hash, check, user } = await open({}, { rehasher });
    for (let count = 0; count < 2; count++) expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(2);
    expect(scheduled).to.deep.equal(['Secret1', 'Secret1']);
  });

  it('does not use the cache to decide whether an update has a new password', async () => {
    const { hash, authorizer, passwordUpdate, user } = await open({ allowCommonMistakes: true });
    rightOf(await authorizer.authorize(user, { key: keyOf(user.email.address), supplied: 'Secret1x' }));
    const stored = rightOf(await passwordUpdate.storedHashAfter('Secret1x', 'Secret1x')(user.password));
    expect(stored).not.to.equal(user.password);
    expect(await hash.verify(stored, 'Secret1x')).to.equal(true);
  });
});
