import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import { Fault } from '../../../../application/fault.ts';
import {
  type Authorization,
  type Caller,
  type PasswordPolicy,
  Passwords,
} from '../../../../application/passwords/passwords.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../support/arbitraries.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { leftOf, rightOf } from '../../../support/outcomes.ts';
import { rejection } from '../../../support/rejection.ts';
import { usualPolicy } from '../wired-service.ts';

const open = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash) => {
  const hash = new RecordingHash(inner ?? (await sha256.open({}, silentContext)));
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  hash.hashed.length = 0;
  return { hash, user, passwords: new Passwords(hash, { ...usualPolicy, ...policy }) };
};

const opens = async (gate: Authorization, user: User | undefined) => isRight(await gate(user));

/** Jane, or somebody who says so. */
const by = (supplied: string | undefined): Caller => ({ key: keyOf(addressOf('jane@example.com')), supplied });

const admits = (passwords: Passwords, user: User | undefined, supplied: string | undefined) =>
  opens((found) => passwords.admit(found, by(supplied)), user);

describe('the password of a caller', () => {
  it('admits with the exact password, after one check', async () => {
    const { hash, user, passwords } = await open({ allowCommonMistakes: true });
    expect(await admits(passwords, user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.deep.equal(['Secret1']);
  });

  it('does not admit with another password, without one, or with the stored form', async () => {
    const { user, passwords } = await open();
    for (const supplied of ['secret1', 'Secret1x', '', undefined, user.password]) {
      expect(await admits(passwords, user, supplied), String(supplied)).to.equal(false);
    }
  });

  it('is not looked at when the header is not checked', async () => {
    const { hash, user, passwords } = await open({ headerCheck: false });
    for (const supplied of ['wrong', '', undefined]) expect(await admits(passwords, user, supplied)).to.equal(true);
    expect(hash.checked).to.deep.equal([]);
  });

  describe('with a common mistake', () => {
    const mistaken = ['xSecret1', 'Secret1x', 'secret1', 'sECRET1'];

    it('admits when mistakes are allowed, after at most five checks', async () => {
      const { hash, user, passwords } = await open({ allowCommonMistakes: true });
      for (const supplied of mistaken) {
        hash.checked.length = 0;
        expect(await admits(passwords, user, supplied), supplied).to.equal(true);
        expect(hash.checked[0]).to.equal(supplied);
        expect(hash.checked).to.have.length.within(2, 5);
      }
    });

    it('does not admit when they are not allowed', async () => {
      const { user, passwords } = await open();
      for (const supplied of mistaken) expect(await admits(passwords, user, supplied), supplied).to.equal(false);
    });

    it('costs at most five distinct checks when nothing matches', async () => {
      const { hash, user, passwords } = await open({ allowCommonMistakes: true });
      expect(await admits(passwords, user, 'wrong')).to.equal(false);
      expect(hash.checked)
        .to.deep.equal([...new Set(hash.checked)])
        .and.to.have.length(5);
    });

    it('admits a password of 72 bytes with one character too many, where bcrypt reads 72', async () => {
      const algorithm = await bcrypt.open({ cost: 4 }, silentContext);
      const password = 'p'.repeat(72);
      const user = userOf('jane@example.com', { password: await algorithm.hash(password) });
      const strict = new Passwords(algorithm, usualPolicy);
      const lenient = new Passwords(algorithm, { ...usualPolicy, allowCommonMistakes: true });
      expect(await admits(strict, user, `${password}x`)).to.equal(false);
      expect(await admits(lenient, user, `${password}x`)).to.equal(true);
    });
  });

  describe('of an unknown user', () => {
    for (const allowCommonMistakes of [false, true]) {
      it(`costs what a wrong password costs: allowCommonMistakes ${allowCommonMistakes}`, async () => {
        const { hash, user, passwords } = await open({ allowCommonMistakes });
        expect(await admits(passwords, user, 'wrong')).to.equal(false);
        const checked = hash.checked.splice(0);
        expect(await admits(passwords, undefined, 'wrong')).to.equal(false);
        expect(hash.checked).to.deep.equal(checked);
        expect(hash.hashed).to.have.length(1);
      });
    }

    it('costs the same whatever is supplied: nobody knows the password that would be found sooner', async () => {
      const services = await Promise.all([1, 2].map(() => open({ allowCommonMistakes: true })));
      for (const { passwords } of services) expect(await admits(passwords, undefined, 'wrong')).to.equal(false);
      const [first, second] = services.map(({ hash }) => hash.hashed[0] ?? '');
      expect(first).to.have.length.at.least(32);
      expect(second).to.have.length.at.least(32).and.not.equal(first);
    });

    it('is refused as unknown, or where that is hidden as a wrong password', async () => {
      for (const [hideUnknownUsers, code] of [
        [false, 'user_not_found'],
        [true, 'wrong_password'],
      ] as const) {
        const { user, passwords } = await open({ hideUnknownUsers });
        expect(leftOf(await passwords.admit(undefined, by('wrong')))).to.deep.equal({ code });
        expect(leftOf(await passwords.gate(by('wrong'))(undefined))).to.deep.equal({ code });
        expect(leftOf(await passwords.admit(user, by('wrong')))).to.deep.equal({ code: 'wrong_password' });
      }
    });

    it('costs the first caller no more than a known one, where it is hidden', async () => {
      const { hash, user, passwords } = await open({ hideUnknownUsers: true });
      expect(await admits(passwords, user, 'wrong')).to.equal(false);
      const hashed = hash.hashed.length;
      expect(await admits(passwords, undefined, 'wrong')).to.equal(false);
      expect([hashed, hash.hashed.length]).to.deep.equal([1, 1]);
    });

    it('never admits, whatever is supplied', async () => {
      const { hash, passwords } = await open({ allowCommonMistakes: true });
      expect(await admits(passwords, undefined, 'Secret1')).to.equal(false);
      for (const supplied of [hash.hashed[0] ?? '', `${hash.hashed[0]}x`]) {
        expect(await admits(passwords, undefined, supplied)).to.equal(false);
      }
    });

    it('makes the form that it checks against once, also for many at once', async () => {
      const { hash, passwords } = await open();
      await Promise.all(Array.from({ length: 10 }, () => passwords.admit(undefined, by('x'))));
      expect(hash.hashed).to.have.length(1);
      expect(hash.checked).to.have.length(10);
    });

    it('is checked again after the algorithm was overloaded', async () => {
      class Overloaded extends RecordingHash {
        refusals = 1;
        override async hash(password: string): Promise<string> {
          if (this.refusals-- > 0) throw new Fault('overloaded', 'too much to do');
          return super.hash(password);
        }
      }
      const passwords = new Passwords(new Overloaded(await simple.open({}, silentContext)), usualPolicy);
      expect(await rejection(passwords.admit(undefined, by('x')))).to.include({ code: 'overloaded' });
      expect(await admits(passwords, undefined, 'x')).to.equal(false);
    });
  });
});

describe('the gate of a change that is tried several times', () => {
  it('does not check a stored form again that passed', async () => {
    const { hash, user, passwords } = await open();
    const gate = passwords.gate(by('Secret1'));
    expect([await opens(gate, user), await opens(gate, { ...user, creationTime: 1 })]).to.deep.equal([true, true]);
    expect(hash.checked).to.have.length(1);
  });

  it('checks again when the stored form is another', async () => {
    const { user, passwords } = await open();
    const gate = passwords.gate(by('Secret1'));
    expect(await opens(gate, user)).to.equal(true);
    expect(await opens(gate, (await open()).user)).to.equal(true);
    expect(await opens(gate, { ...user, password: 'changed meanwhile' })).to.equal(false);
    expect(await opens(gate, undefined)).to.equal(false);
  });

  it('does not remember a form that did not pass', async () => {
    const { user, passwords } = await open();
    const gate = passwords.gate(by('wrong'));
    expect([await opens(gate, user), await opens(gate, user)]).to.deep.equal([false, false]);
  });
});

describe('the stored form of a password', () => {
  it('is a hash when the service hashes', async () => {
    const { hash, passwords } = await open();
    const stored = rightOf(await passwords.toStore('Secret1'));
    expect(stored).to.have.length(80);
    expect(await hash.verify(stored, 'Secret1')).to.equal(true);
  });

  it('is the password itself when clients hash', async () => {
    const { passwords } = await open({ serverSideHash: false });
    expect(rightOf(await passwords.toStore('5e884898da28'))).to.equal('5e884898da28');
  });

  it('is refused when the algorithm would not read all of it', async () => {
    const algorithm = await bcrypt.open({ cost: 4 }, silentContext);
    const hashing = new Passwords(algorithm, usualPolicy);
    for (const password of ['p'.repeat(73), 'é'.repeat(37), '🔑'.repeat(19), 'a\0a']) {
      expect(leftOf(await hashing.toStore(password))).to.deep.equal({ code: 'unsuitable_password' });
    }
    for (const password of ['p'.repeat(72), 'é'.repeat(36), '🔑'.repeat(18)]) rightOf(await hashing.toStore(password));
    const passing = new Passwords(algorithm, { ...usualPolicy, serverSideHash: false });
    expect(leftOf(await passing.toStore('p'.repeat(73)))).to.deep.equal({ code: 'unsuitable_password' });
    expect(rightOf(await passing.toStore('p'.repeat(72)))).to.have.length(72);
  });
});

describe('the password of an update', () => {
  it('stays as it is stored when it is left out, is the stored form, or matches it exactly', async () => {
    const { user, passwords } = await open();
    for (const given of [undefined, user.password, 'Secret1']) {
      expect(rightOf(await passwords.revision(given, undefined)(user.password)), String(given)).to.equal(user.password);
    }
  });

  it('is a new one when it is a common mistake away, also when mistakes are allowed', async () => {
    const { user, passwords } = await open({ allowCommonMistakes: true, serverSideHash: false });
    for (const near of ['xSecret1', 'Secret1x', 'secret1', 'sECRET1']) {
      expect(rightOf(await passwords.revision(near, undefined)(user.password)), near).to.equal(near);
    }
  });

  describe('that is an earlier form of the password', () => {
    const bare = (password: string): string => createHash('sha256').update(password).digest('hex');

    const renewing = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash, former?: string) => {
      const opened = await open(policy, inner);
      const renewal = { offer: () => true, formerOf: () => former };
      const passwords = new Passwords(opened.hash, { ...usualPolicy, ...policy }, undefined, { renewal });
      return { ...opened, passwords };
    };

    it('stays as it is stored where passwords are stored anew: the caller read it before', async () => {
      const { user, passwords } = await renewing();
      expect(rightOf(await passwords.revision(bare('Secret1'), 'Secret1')(user.password))).to.equal(user.password);
    });

    it('stays so also when the caller mistyped the password, but not as a form of the mistake', async () => {
      const { hash, user, passwords } = await renewing({ allowCommonMistakes: true });
      expect(rightOf(await passwords.revision(bare('Secret1'), 'secret1')(user.password))).to.equal(user.password);
      const given = bare('secret1');
      const stored = rightOf(await passwords.revision(given, 'secret1')(user.password));
      expect(await hash.verify(stored, given)).to.equal(true);
    });

    it('is looked for once where a form is given, and costs nothing where none is', async () => {
      const { hash, user, passwords } = await renewing({ allowCommonMistakes: true });
      for (const [given, checks] of [
        [bare('another'), [bare('another'), 'Secret1', 'Secret1']],
        ['another', ['another']],
      ] as const) {
        hash.checked.length = 0;
        rightOf(await passwords.revision(given, 'Secret1')(user.password));
        expect(hash.checked).to.deep.equal(checks);
      }
    });

    it('is never verified where that costs more than a new hash, and is a new password like any other', async () => {
      const cheap = await bcrypt.open({ cost: 4 }, silentContext);
      const { hash, user, passwords } = await renewing({}, cheap);
      for (const cost of [5, 15]) {
        hash.checked.length = 0;
        const given = `$2b$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`;
        const stored = rightOf(await passwords.revision(given, 'Secret1')(user.password));
        expect(hash.checked).to.deep.equal([given]);
        expect(await hash.verify(stored, given)).to.equal(true);
      }
    });

    it('is never verified where it has the form of a new hash, because no such form was replaced', async () => {
      const { hash, user, passwords } = await renewing();
      const given = await hash.hash('Secret1');
      hash.checked.length = 0;
      const stored = rightOf(await passwords.revision(given, 'Secret1')(user.password));
      expect(hash.checked).to.deep.equal([given]);
      expect(await hash.verify(stored, given)).to.equal(true);
    });

    it('stays as it is stored, without a check, where it is known to be replaced by the stored form', async () => {
      const cheap = await bcrypt.open({ cost: 4 }, silentContext);
      const former = await (await bcrypt.open({ cost: 5 }, silentContext)).hash('Secret1');
      const { hash, user, passwords } = await renewing({}, cheap, former);
      expect(rightOf(await passwords.revision(former, 'Secret1')(user.password))).to.equal(user.password);
      // Whether it is the password itself.
      expect(hash.checked).to.deep.equal([former]);
    });

    it('is a new one in every other case', async () => {
      const { hash, user, passwords } = await renewing();
      const alone = new Passwords(hash, usualPolicy);
      for (const [checker, given, supplied] of [
        [passwords, bare('another'), 'Secret1'],
        [passwords, bare('another'), 'another'],
        [passwords, bare('Secret1'), undefined],
        [alone, bare('Secret1'), 'Secret1'],
      ] as const) {
        const stored = rightOf(await checker.revision(given, supplied)(user.password));
        expect(await hash.verify(stored, given)).to.equal(true);
      }
    });
  });

  it('is hashed once however often the change is tried, and again when the stored form changed meanwhile', async () => {
    const { hash, user, passwords } = await open();
    const revision = passwords.revision('another', undefined);
    const first = rightOf(await revision(user.password));
    expect(rightOf(await revision(user.password))).to.equal(first);
    expect(hash.hashed).to.deep.equal(['another']);
    expect(rightOf(await revision(first)), 'somebody else stored this password').to.equal(first);
    expect(hash.hashed).to.deep.equal(['another']);
  });
});
