import { expect } from 'chai';
import { isUnverifiedTooLong } from '../../../domain/unverified.ts';
import type { User } from '../../../domain/user.ts';
import { withFormerVerification } from '../../../domain/user-update.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';

const day = 86_400_000;
const policy = {
  unverifiedLifetimeMs: 7 * day,
  tokenLifetimeMs: day,
  invitationLifetimeMs: 3 * day,
  recoveryLifetimeMs: day,
};
const created = 1_800_000_000_000;
const end = created + 7 * day;

const unverified: User = {
  ...userOf('jane@example.com', { creationTime: created, lastUpdateTime: created }),
  email: { address: addressOf('jane@example.com'), verification: { verified: false, token: null } },
};

const isDue = (changes: Partial<User>, now: number): boolean =>
  isUnverifiedTooLong({ ...unverified, ...changes }, policy, now);

const withToken = (tokenTime: number): Partial<User> => ({
  email: { ...unverified.email, verification: { verified: false, token: 'a token', tokenTime } },
});

describe('a user whose address was never verified', () => {
  it('is deleted when its time is over, counted from the creation or a later import', () => {
    expect(isDue({}, end - 1)).to.equal(false);
    expect(isDue({}, end)).to.equal(true);
    const importTime = created + 30 * day;
    expect(isDue({ importTime }, importTime + 7 * day - 1)).to.equal(false);
    expect(isDue({ importTime }, importTime + 7 * day)).to.equal(true);
    // Imported, and created later by its record.
    expect(isDue({ importTime: created - day }, end - 1)).to.equal(false);
  });

  it('is not deleted before the clock has reached its creation again', () => {
    expect(isDue({}, created - 30 * day)).to.equal(false);
  });

  it('stays while a link works that was mailed: to verify, to confirm a new address, of a recovery, and of an invitation, which may be sent again', () => {
    const addressMove = { to: addressOf('j@example.com'), since: end - 1, confirmDigest: 'new', cancelDigest: 'old' };
    for (const [changes, lifetimeMs] of [
      [withToken(end - 1), day],
      [{ addressMove }, day],
      [{ invitation: { digest: 'd', time: end - 1 } }, 3 * day],
      [{ invitation: { time: end - 1 } }, 3 * day],
      [{ recovery: { digest: 'd', time: end - 1 } }, day],
    ] as const) {
      expect(isDue(changes, end)).to.equal(false);
      expect(isDue(changes, end - 1 + lifetimeMs)).to.equal(true);
    }
  });

  it('stays a day for a link that never ends, or its whole time if that is shorter', () => {
    const endless = { ...policy, tokenLifetimeMs: null };
    const isOver = (tokenTime: number, unverifiedLifetimeMs = endless.unverifiedLifetimeMs): boolean =>
      isUnverifiedTooLong({ ...unverified, ...withToken(tokenTime) }, { ...endless, unverifiedLifetimeMs }, end);
    expect([isOver(end - day + 1), isOver(end - day)]).to.deep.equal([false, true]);
    expect([isOver(end - day / 2 + 1, day / 2), isOver(end - day / 2, day / 2)]).to.deep.equal([false, true]);
  });

  it('stays if it is disabled, so that its address does not become free', () => {
    expect(isDue({ disablement: { since: created, reason: 'spam' } }, end)).to.equal(false);
    expect(isDue({ disablement: { since: created, until: end } }, end)).to.equal(true);
  });
});

describe('a user whose address was verified once', () => {
  const verified: User = {
    ...unverified,
    email: { ...unverified.email, verification: { verified: true, token: null } },
  };

  it('stays, also after the first reset or an address that is not verified', () => {
    expect(isUnverifiedTooLong(verified, policy, end)).to.equal(false);
    const reset = { ...unverified, lastUpdateTime: created + 1 };
    const marked = withFormerVerification(verified, reset);
    expect(marked).to.deep.equal({ ...reset, unverifiedTime: created + 1 });
    expect(isUnverifiedTooLong(marked, policy, end)).to.equal(false);
    const again = withFormerVerification({ ...verified, unverifiedTime: 5 }, { ...reset, unverifiedTime: 5 });
    expect(again.unverifiedTime).to.equal(5);
  });

  it('is marked by no other change', () => {
    for (const [previous, next] of [
      [unverified, unverified],
      [unverified, verified],
      [verified, verified],
    ] as const)
      expect(withFormerVerification(previous, next)).to.equal(next);
  });
});
