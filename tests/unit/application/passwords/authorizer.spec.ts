import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import { Fault } from '../../../../application/fault.ts';
import type { Caller } from '../../../../application/passwords/authorizer.ts';
import { PasswordAuthorizer } from '../../../../application/passwords/authorizer.ts';
import { type AttemptThrottle, unlimited } from '../../../../application/ports/attempt-counter.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import type { Authorization } from '../../../../application/writing/authorization.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { FailureCode } from '../../../../domain/failure.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { nameOfId } from '../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { type PasswordPolicy, passwordServices, usualPolicy } from '../wired-service.ts';

const open = async (policy: Partial<PasswordPolicy> = {}, inner?: PasswordHash) => {
  const hash = new RecordingHash(inner ?? (await sha256.open({}, silentContext)));
  const user = userOf('jane@example.com', { password: await hash.hash('Secret1') });
  hash.hashed.length = 0;
  return { hash, user, ...passwordServices(hash, { ...usualPolicy, ...policy }) };
};

const allows = async (authorization: Authorization<FailureCode>, user: User | undefined) =>
  isRight(await authorization(user && { user, version: 'any' }));

/** A caller who claims to be Jane. */
const by = (supplied: string | undefined): Caller => ({ key: keyOf(addressOf('jane@example.com')), supplied });

const authorizes = (authorizer: PasswordAuthorizer, user: User | undefined, supplied: string | undefined) =>
  allows((found) => authorizer.authorize(found, by(supplied)), user);

describe('the password of a caller', () => {
  it('is accepted if it is exactly the password, after one check', async () => {
    const { hash, user, authorizer } = await open({ allowCommonMistakes: true });
    expect(await authorizes(authorizer, user, 'Secret1')).to.equal(true);
    expect(hash.checked).to.deep.equal(['Secret1']);
  });

  it('is refused if it is another password, missing or the stored hash', async () => {
    const { user, authorizer } = await open();
    for (const supplied of ['secret1', 'Secret1x', '', undefined, user.password]) {
      expect(await authorizes(authorizer, user, supplied), String(supplied)).to.equal(false);
    }
  });

  it('is ignored without headerCheck', async () => {
    const { hash, user, authorizer } = await open({ headerCheck: false });
    for (const supplied of ['wrong', '', undefined])
      expect(await authorizes(authorizer, user, supplied)).to.equal(true);
    expect(hash.checked).to.deep.equal([]);
  });

  describe('with a typo', () => {
    const mistaken = ['xSecret1', 'Secret1x', 'secret1', 'sECRET1'];

    it('is accepted if typos are allowed, after at most five checks', async () => {
      const { hash, user, authorizer } = await open({ allowCommonMistakes: true });
      for (const supplied of mistaken) {
        hash.checked.length = 0;
        expect(await authorizes(authorizer, user, supplied), supplied).to.equal(true);
        expect(hash.checked[0]).to.equal(supplied);
        expect(hash.checked).to.have.length.within(2, 5);
      }
    });

    it('is refused if they are not', async () => {
      const { user, authorizer } = await open();
      for (const supplied of mistaken) expect(await authorizes(authorizer, user, supplied), supplied).to.equal(false);
    });

    it('costs at most five distinct checks if nothing matches', async () => {
      const { hash, user, authorizer } = await open({ allowCommonMistakes: true });
      expect(await authorizes(authorizer, user, 'wrong')).to.equal(false);
      expect(hash.checked)
        .to.deep.equal([...new Set(hash.checked)])
        .and.to.have.length(5);
    });

    it('is accepted with one character more than the 72 bytes that bcrypt reads', async () => {
      const algorithm = await bcrypt.open({ cost: 4 }, silentContext);
      const password = 'p'.repeat(72);
      const user = userOf('jane@example.com', { password: await algorithm.hash(password) });
      const strict = passwordServices(algorithm, usualPolicy).authorizer;
      const lenient = passwordServices(algorithm, { ...usualPolicy, allowCommonMistakes: true }).authorizer;
      expect(await authorizes(strict, user, `${password}x`)).to.equal(false);
      expect(await authorizes(lenient, user, `${password}x`)).to.equal(true);
    });
  });

  describe('of an unknown user', () => {
    for (const allowCommonMistakes of [false, true]) {
      it(`costs as much as a wrong password: allowCommonMistakes ${allowCommonMistakes}`, async () => {
        const { hash, user, authorizer } = await open({ allowCommonMistakes });
        expect(await authorizes(authorizer, user, 'wrong')).to.equal(false);
        const checked = hash.checked.splice(0);
        expect(await authorizes(authorizer, undefined, 'wrong')).to.equal(false);
        expect(hash.checked).to.deep.equal(checked);
        expect(hash.hashed).to.have.length(1);
      });
    }

    it('costs the same for every password, because the decoy password is random', async () => {
      const services = await Promise.all([1, 2].map(() => open({ allowCommonMistakes: true })));
      for (const { authorizer } of services) expect(await authorizes(authorizer, undefined, 'wrong')).to.equal(false);
      const [first, second] = services.map(({ hash }) => hash.hashed[0] ?? '');
      expect(first).to.have.length.at.least(32);
      expect(second).to.have.length.at.least(32).and.not.equal(first);
    });

    it('is refused as unknown or, if unknown users are hidden, as wrong', async () => {
      for (const [hideUnknownUsers, code] of [
        [false, 'user_not_found'],
        [true, 'wrong_password'],
      ] as const) {
        const { user, authorizer } = await open({ hideUnknownUsers });
        expect(leftOf(await authorizer.authorize(undefined, by('wrong')))).to.deep.equal({ code });
        expect(leftOf(await authorizer.authorizationOf(by('wrong'))(undefined))).to.deep.equal({ code });
        expect(leftOf(await authorizer.authorize({ user, version: 'any' }, by('wrong')))).to.deep.equal({
          code: 'wrong_password',
        });
      }
    });

    it('is not found where no password is checked, also if unknown users are hidden', async () => {
      const { authorizer } = await open({ hideUnknownUsers: true, headerCheck: false });
      expect(leftOf(await authorizer.authorize(undefined, by('any')))).to.deep.equal({ code: 'user_not_found' });
    });

    it('costs the first caller as much as that of a known user, if unknown users are hidden', async () => {
      const { hash, user, authorizer } = await open({ hideUnknownUsers: true });
      expect(await authorizes(authorizer, user, 'wrong')).to.equal(false);
      const hashed = hash.hashed.length;
      expect(await authorizes(authorizer, undefined, 'wrong')).to.equal(false);
      expect([hashed, hash.hashed.length]).to.deep.equal([1, 1]);
    });

    it('is counted under the given key, as a known one is where that would tell of other keys', async () => {
      const name = nameOfId(rightOf(UserId.decode('usr_1')));
      for (const hideUnknownUsers of [false, true]) {
        const { user, check } = await open({ hideUnknownUsers });
        const counted: string[] = [];
        const throttle: AttemptThrottle = {
          run: (attempt, run) => {
            counted.push(attempt.user);
            return unlimited.run(attempt, run);
          },
        };
        const policy = { hideUnknownUsers, headerCheck: true };
        const authorizer = new PasswordAuthorizer(check, policy, throttle, { now: Date.now });
        const caller = { ...by('wrong'), key: name };
        await authorizer.authorize({ user, version: 'any' }, caller);
        await authorizer.authorize(undefined, caller);
        expect(counted).to.deep.equal([hideUnknownUsers ? name : by('').key, name]);
      }
    });

    it('is never accepted', async () => {
      const { hash, authorizer } = await open({ allowCommonMistakes: true });
      expect(await authorizes(authorizer, undefined, 'Secret1')).to.equal(false);
      for (const supplied of [hash.hashed[0] ?? '', `${hash.hashed[0]}x`]) {
        expect(await authorizes(authorizer, undefined, supplied)).to.equal(false);
      }
    });

    it('is checked against a decoy that is hashed once, also for concurrent callers', async () => {
      const { hash, authorizer } = await open();
      await Promise.all(Array.from({ length: 10 }, () => authorizer.authorize(undefined, by('x'))));
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
      const { authorizer } = passwordServices(new Overloaded(await simple.open({}, silentContext)), usualPolicy);
      expect(await rejection(authorizer.authorize(undefined, by('x')))).to.include({ code: 'overloaded' });
      expect(await authorizes(authorizer, undefined, 'x')).to.equal(false);
    });
  });
});

describe('the authorization of an update', () => {
  it('does not verify a stored hash again', async () => {
    const { hash, user, authorizer } = await open();
    const authorization = authorizer.authorizationOf(by('Secret1'));
    expect([
      await allows(authorization, user),
      await allows(authorization, { ...user, creationTime: 1 }),
    ]).to.deep.equal([true, true]);
    expect(hash.checked).to.have.length(1);
  });

  it('verifies another stored hash', async () => {
    const { user, authorizer } = await open();
    const authorization = authorizer.authorizationOf(by('Secret1'));
    expect(await allows(authorization, user)).to.equal(true);
    expect(await allows(authorization, (await open()).user)).to.equal(true);
    expect(await allows(authorization, { ...user, password: 'changed meanwhile' })).to.equal(false);
    expect(await allows(authorization, undefined)).to.equal(false);
  });

  it('verifies a stored hash again after a wrong password', async () => {
    const { user, authorizer } = await open();
    const authorization = authorizer.authorizationOf(by('wrong'));
    expect([await allows(authorization, user), await allows(authorization, user)]).to.deep.equal([false, false]);
  });
});
