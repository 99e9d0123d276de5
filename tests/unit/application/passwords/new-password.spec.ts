import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { leftOf, rightOf } from '../../../support/outcomes.ts';
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

describe('the password of an update', () => {
  it('is unchanged if it is omitted, the stored hash, or exactly the password', async () => {
    const { user, passwordUpdate } = await open();
    for (const given of [undefined, user.password, 'Secret1']) {
      expect(rightOf(await passwordUpdate.storedHashAfter(given, undefined)(user.password)), String(given)).to.equal(
        user.password,
      );
    }
  });

  it('is new if it has a typo, also if typos are allowed', async () => {
    const { user, passwordUpdate } = await open({ allowCommonMistakes: true, serverSideHash: false });
    for (const near of ['xSecret1', 'Secret1x', 'secret1', 'sECRET1']) {
      expect(rightOf(await passwordUpdate.storedHashAfter(near, undefined)(user.password)), near).to.equal(near);
    }
  });

  describe('that is an earlier stored hash', () => {
    const bare = (password: string): string => createHash('sha256').update(password).digest('hex');

    const rehashing = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash, former?: string) => {
      const opened = await open(policy, inner);
      const rehasher = { schedule: () => true, formerHash: () => former };
      return { ...opened, ...passwordServices(opened.hash, { ...usualPolicy, ...policy }, { rehasher }) };
    };

    it('is unchanged if passwords are rehashed, because the caller may have read it before', async () => {
      const { user, passwordUpdate } = await rehashing();
      expect(rightOf(await passwordUpdate.storedHashAfter(bare('Secret1'), 'Secret1')(user.password))).to.equal(
        user.password,
      );
    });

    it('is unchanged also if the caller mistyped the password, unless it is the hash of the typo', async () => {
      const { hash, user, passwordUpdate } = await rehashing({ allowCommonMistakes: true });
      expect(rightOf(await passwordUpdate.storedHashAfter(bare('Secret1'), 'secret1')(user.password))).to.equal(
        user.password,
      );
      const given = bare('secret1');
      const stored = rightOf(await passwordUpdate.storedHashAfter(given, 'secret1')(user.password));
      expect(await hash.verify(stored, given)).to.equal(true);
    });

    it('costs one verification, or none if the text is no stored hash', async () => {
      const { hash, user, passwordUpdate } = await rehashing({ allowCommonMistakes: true });
      for (const [given, checks] of [
        [bare('another'), [bare('another'), 'Secret1', 'Secret1']],
        ['another', ['another']],
      ] as const) {
        hash.checked.length = 0;
        rightOf(await passwordUpdate.storedHashAfter(given, 'Secret1')(user.password));
        expect(hash.checked).to.deep.equal(checks);
      }
    });

    it('is never verified if that costs more than a new hash; it is then a new password', async () => {
      const cheap = await bcrypt.open({ cost: 4 }, silentContext);
      const { hash, user, passwordUpdate } = await rehashing({}, cheap);
      for (const cost of [5, 15]) {
        hash.checked.length = 0;
        const given = `$2b$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`;
        const stored = rightOf(await passwordUpdate.storedHashAfter(given, 'Secret1')(user.password));
        expect(hash.checked).to.deep.equal([given]);
        expect(await hash.verify(stored, given)).to.equal(true);
      }
    });

    it('is never verified if it is a current hash, because those are not replaced', async () => {
      const { hash, user, passwordUpdate } = await rehashing();
      const given = await hash.hash('Secret1');
      hash.checked.length = 0;
      const stored = rightOf(await passwordUpdate.storedHashAfter(given, 'Secret1')(user.password));
      expect(hash.checked).to.deep.equal([given]);
      expect(await hash.verify(stored, given)).to.equal(true);
    });

    it('is unchanged without a verification if it is known as the former hash', async () => {
      const cheap = await bcrypt.open({ cost: 4 }, silentContext);
      const former = await (await bcrypt.open({ cost: 5 }, silentContext)).hash('Secret1');
      const { hash, user, passwordUpdate } = await rehashing({}, cheap, former);
      expect(rightOf(await passwordUpdate.storedHashAfter(former, 'Secret1')(user.password))).to.equal(user.password);
      // The check whether it is the password itself.
      expect(hash.checked).to.deep.equal([former]);
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
        const stored = rightOf(await checker.storedHashAfter(given, supplied)(user.password));
        expect(await hash.verify(stored, given)).to.equal(true);
      }
    });
  });

  it('is hashed once for all attempts of an update, and again if the stored hash has changed', async () => {
    const { hash, user, passwordUpdate } = await open();
    const storedHash = passwordUpdate.storedHashAfter('another', undefined);
    const first = rightOf(await storedHash(user.password));
    expect(rightOf(await storedHash(user.password))).to.equal(first);
    expect(hash.hashed).to.deep.equal(['another']);
    expect(rightOf(await storedHash(first)), 'another caller stored this password').to.equal(first);
    expect(hash.hashed).to.deep.equal(['another']);
  });
});
