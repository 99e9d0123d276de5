import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { InMemoryPasswordCache } from '../../../../adapters/password-hashes/in-memory-password-cache.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import type { CheckHelpers } from '../../../../application/passwords/password-check.ts';
import { digestOfFormer } from '../../../../application/passwords/rehasher.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { withRehashedPassword } from '../../../../domain/user-update.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rightOf } from '../../../../sdk/contract/outcomes.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { type PasswordPolicy, passwordServices, usualPolicy } from '../wired-service.ts';

const openCached = async (changes: Partial<PasswordPolicy> = {}, helpers: Partial<CheckHelpers> = {}) => {
  const hash = new RecordingHash(await sha256.open({}, silentContext));
  const cache = new InMemoryPasswordCache({ entries: 10, ttlMs: 60_000 });
  const services = passwordServices(hash, { ...usualPolicy, ...changes }, { ...helpers, cache });
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  return { hash, cache, user, ...services };
};

describe('a password check with a cache', () => {
  it('verifies a password once', async () => {
    const { hash, check, user } = await openCached();
    for (let count = 0; count < 3; count++) expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.deep.equal(['Secret1']);
  });

  it('verifies every wrong password, each time', async () => {
    const { hash, check, user } = await openCached();
    for (const supplied of ['Secret1', 'wrong', 'wrong', 'Secret1', 'wrong']) {
      expect(await check.matches(user, supplied), supplied).to.equal(supplied === 'Secret1');
    }
    expect(hash.checked).to.deep.equal(['Secret1', 'wrong', 'wrong', 'wrong']);
  });

  it('verifies again if the stored hash has changed, also to one of the same password', async () => {
    const { hash, check, user } = await openCached();
    expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(await check.matches({ ...user, password: await hash.hash('another') }, 'Secret1')).to.equal(false);
    expect(await check.matches({ ...user, password: await hash.hash('Secret1') }, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(3);
  });

  it('verifies the same stored hash of another user', async () => {
    const { hash, check, user } = await openCached();
    expect(await check.matches(user, 'Secret1')).to.equal(true);
    const { email } = userOf('john@example.com');
    expect(await check.matches({ ...user, email }, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(2);
  });

  it('always verifies the password of an unknown user, and never accepts it', async () => {
    const { hash, cache, check } = await openCached();
    for (let count = 0; count < 2; count++) {
      // Also with the decoy password.
      expect(await check.matches(undefined, hash.hashed[1] ?? 'wrong')).to.equal(false);
    }
    expect(hash.checked).to.have.lengthOf(2);
    expect(cache.hits).to.equal(0);
  });

  it('counts a miss for an unknown user as for a wrong password, so that metrics do not reveal which', async () => {
    const { cache, check, user } = await openCached({ hideUnknownUsers: true });
    for (const found of [user, undefined]) {
      const before = cache.misses;
      expect(await check.matches(found, 'wrong')).to.equal(false);
      expect([cache.hits, cache.misses - before]).to.deep.equal([0, 1]);
    }
  });

  it('verifies the same typo once, and another typo again', async () => {
    const { hash, check, user } = await openCached({ allowCommonMistakes: true });
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
      stop: async () => undefined,
    };
    const { hash, check, user } = await openCached({}, { rehasher });
    for (let count = 0; count < 2; count++) expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.have.lengthOf(2);
    expect(scheduled).to.deep.equal(['Secret1', 'Secret1']);
  });

  it('does not use the cache to decide whether an update has a new password', async () => {
    const { hash, authorizer, passwordUpdate, user } = await openCached({ allowCommonMistakes: true });
    rightOf(
      await authorizer.authorize({ user, version: 'any' }, { key: keyOf(user.email.address), supplied: 'Secret1x' }),
    );
    const stored = rightOf(await passwordUpdate.storedHashAfter('Secret1x', 'Secret1x')(user, []));
    expect(stored).not.to.equal(user.password);
    expect(await hash.verify(stored, 'Secret1x')).to.equal(true);
  });
});

const open = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash) => {
  const hash = new RecordingHash(inner ?? (await sha256.open({}, silentContext)));
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  hash.hashed.length = 0;
  return { hash, user, ...passwordServices(hash, { ...usualPolicy, ...policy }) };
};

describe('the password of an update', () => {
  it('is unchanged if it is omitted, the stored hash, or exactly the password', async () => {
    const { user, passwordUpdate } = await open();
    for (const given of [undefined, user.password, 'Secret1']) {
      expect(rightOf(await passwordUpdate.storedHashAfter(given, undefined)(user, [])), String(given)).to.equal(
        user.password,
      );
    }
  });

  it('is new if it has a typo, also if typos are allowed', async () => {
    const { user, passwordUpdate } = await open({ allowCommonMistakes: true, serverSideHash: false });
    for (const near of ['xSecret1', 'Secret1x', 'secret1', 'sECRET1']) {
      expect(rightOf(await passwordUpdate.storedHashAfter(near, undefined)(user, [])), near).to.equal(near);
    }
  });

  describe('that is an earlier stored hash', () => {
    const bare = (password: string): string => createHash('sha256').update(password).digest('hex');

    const rehashing = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash) => {
      const opened = await open(policy, inner);
      const rehasher = { schedule: () => true, stop: async () => undefined };
      return { ...opened, ...passwordServices(opened.hash, { ...usualPolicy, ...policy }, { rehasher }) };
    };

    it('is unchanged if passwords are rehashed, because the caller may have read it before', async () => {
      const { user, passwordUpdate } = await rehashing();
      expect(rightOf(await passwordUpdate.storedHashAfter(bare('Secret1'), 'Secret1')(user, []))).to.equal(
        user.password,
      );
    });

    it('is unchanged also if the caller mistyped the password, unless it is the hash of the typo', async () => {
      const { hash, user, passwordUpdate } = await rehashing({ allowCommonMistakes: true });
      expect(rightOf(await passwordUpdate.storedHashAfter(bare('Secret1'), 'secret1')(user, []))).to.equal(
        user.password,
      );
      const given = bare('secret1');
      const stored = rightOf(await passwordUpdate.storedHashAfter(given, 'secret1')(user, []));
      expect(await hash.verify(stored, given)).to.equal(true);
    });

    it('costs one verification, or none if the text is no stored hash', async () => {
      const { hash, user, passwordUpdate } = await rehashing({ allowCommonMistakes: true });
      for (const [given, checks] of [
        [bare('another'), [bare('another'), 'Secret1', 'Secret1']],
        ['another', ['another']],
      ] as const) {
        hash.checked.length = 0;
        rightOf(await passwordUpdate.storedHashAfter(given, 'Secret1')(user, []));
        expect(hash.checked).to.deep.equal(checks);
      }
    });

    it('is never verified if that costs more than a new hash; it is then a new password', async () => {
      const cheap = await bcrypt.open({ cost: 4 }, silentContext);
      const { hash, user, passwordUpdate } = await rehashing({}, cheap);
      for (const cost of [5, 15]) {
        hash.checked.length = 0;
        const given = `$2b$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`;
        const stored = rightOf(await passwordUpdate.storedHashAfter(given, 'Secret1')(user, []));
        expect(hash.checked).to.deep.equal([given]);
        expect(await hash.verify(stored, given)).to.equal(true);
      }
    });

    it('is never verified if it is a current hash, because those are not replaced', async () => {
      const { hash, user, passwordUpdate } = await rehashing();
      const given = await hash.hash('Secret1');
      hash.checked.length = 0;
      const stored = rightOf(await passwordUpdate.storedHashAfter(given, 'Secret1')(user, []));
      expect(hash.checked).to.deep.equal([given]);
      expect(await hash.verify(stored, given)).to.equal(true);
    });

    it('is unchanged without a verification if it is known as the former hash, until a new password is set', async () => {
      const cheap = await bcrypt.open({ cost: 4 }, silentContext);
      const former = await (await bcrypt.open({ cost: 5 }, silentContext)).hash('Secret1');
      const { hash, user, passwordUpdate: without } = await open({}, cheap);
      const rehashed = withRehashedPassword(user, user.password, digestOfFormer(former, user.password));
      for (const { passwordUpdate } of [await rehashing({}, cheap), { passwordUpdate: without }])
        for (const supplied of ['Secret1', undefined])
          expect(rightOf(await passwordUpdate.storedHashAfter(former, supplied)(rehashed, []))).to.equal(user.password);
      // The check whether it is the password itself.
      expect(new Set(hash.checked)).to.deep.equal(new Set([former]));
      const changed = { ...rehashed, password: await hash.hash('Secret2') };
      expect(rightOf(await without.storedHashAfter(former, 'Secret2')(changed, []))).to.not.equal(changed.password);
    });

    it('is new in every other case', async () => {
      const { hash, user, passwordUpdate } = await rehashing();
      const alone = passwordServices(hash, usualPolicy).passwordUpdate;
      for (const [checker, given, supplied] of [
        [passwordUpdate, bare('another'), 'Secret1'],
        [passwordUpdate, bare('another'), 'another'],
        [passwordUpdate, bare('Secret1'), undefined],
        [alone, bare('Secret1'), 'Secret1'],
      ] as const) {
        const stored = rightOf(await checker.storedHashAfter(given, supplied)(user, []));
        expect(await hash.verify(stored, given)).to.equal(true);
      }
    });
  });

  it('is hashed once for all attempts of an update, and again if the stored hash has changed', async () => {
    const { hash, user, passwordUpdate } = await open();
    const storedHash = passwordUpdate.storedHashAfter('another', undefined);
    const first = rightOf(await storedHash(user, []));
    expect(rightOf(await storedHash(user, []))).to.equal(first);
    expect(hash.hashed).to.deep.equal(['another']);
    expect(rightOf(await storedHash({ ...user, password: first }, [])), 'another caller stored this password').to.equal(
      first,
    );
    expect(hash.hashed).to.deep.equal(['another']);
  });
});
