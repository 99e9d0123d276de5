import { expect } from 'chai';
import * as fc from 'fast-check';
import type { User } from '../../../domain/user.ts';
import { mailFailure, withoutMailTime } from '../../../domain/user-update.ts';
import {
  confirmVerification,
  issueToken,
  isVerificationTokenExpired,
  resetVerification,
} from '../../../domain/verification.ts';
import { users } from '../../../sdk/contract/arbitraries.ts';
import { fresh, jane, now, token, unverified, verified } from '../../support/users.ts';

const tokenSetAt = (tokenTime: number, mailTime?: number): User => ({
  ...unverified,
  email: {
    address: jane,
    verification: { verified: false, token, tokenTime },
    ...(mailTime !== undefined && { mailTime }),
  },
});

describe('a verification', () => {
  for (const [state, user] of Object.entries({ fresh, unverified, verified })) {
    it(`starts for a ${state} user: unverified, with the token`, () => {
      const next = issueToken(user, 'another token', now);
      expect(next.email).to.deep.equal({
        address: jane,
        verification: { verified: false, token: 'another token', tokenTime: now },
        mailTime: now,
      });
      expect(next.lastUpdateTime).to.equal(now);
    });

    it(`is reset for a ${state} user: unverified, without a token`, () => {
      expect(resetVerification(user, now).email).to.deep.equal({
        address: jane,
        verification: { verified: false, token: null },
      });
    });
  }

  it('is confirmed: verified, with the token', () => {
    const next = confirmVerification(unverified, now);
    expect(next.email).to.deep.equal({ address: jane, verification: { verified: true, token } });
    expect(next.lastUpdateTime).to.equal(now);
  });

  it('keeps its times when confirmed, and drops that of the token when reset', () => {
    const timed = tokenSetAt(1, 2);
    const verification = { verified: true, token, tokenTime: 1 };
    expect(confirmVerification(timed, now).email).to.deep.equal({ address: jane, verification, mailTime: 2 });
    expect(resetVerification(timed, now).email).to.deep.equal({ ...fresh.email, mailTime: 2 });
  });

  it('changes nothing the second time', () => {
    expect(confirmVerification(verified, now)).to.equal(verified);
    expect(resetVerification(fresh, now)).to.equal(fresh);
    expect(issueToken(unverified, token, now)).to.equal(unverified);
  });

  it('changes nothing else', () =>
    fc.assert(
      fc.property(users, fc.uuid(), (user, issued) => {
        for (const next of [
          issueToken(user, issued, now),
          confirmVerification(user, now),
          resetVerification(user, now),
        ]) {
          const { email, lastUpdateTime: _, ...rest } = next;
          const { email: before, lastUpdateTime: __, ...restBefore } = user;
          expect(rest).to.deep.equal(restBefore);
          expect(email.address).to.equal(before.address);
        }
      }),
    ));
});

describe('the expiry of a token', () => {
  const day = 86_400_000;
  const issued = issueToken(fresh, token, now);

  it('counts from when the token was set, also if the user changed since', () => {
    const changed: User = { ...issued, lastUpdateTime: now + day };
    for (const user of [issued, changed]) {
      expect(isVerificationTokenExpired(user, day, now + day - 1)).to.equal(false);
      expect(isVerificationTokenExpired(user, day, now + day)).to.equal(true);
    }
  });

  it('counts from the last update if the time of the token is unknown', () => {
    const { lastUpdateTime } = unverified;
    expect(isVerificationTokenExpired(unverified, day, lastUpdateTime + day - 1)).to.equal(false);
    expect(isVerificationTokenExpired(unverified, day, lastUpdateTime + day)).to.equal(true);
  });

  it('does not apply to a verified user', () => {
    expect(isVerificationTokenExpired(confirmVerification(issued, now + 1), day, now + 2 * day)).to.equal(false);
  });

  it('does not happen while the clock is set back', () => {
    expect(isVerificationTokenExpired(issued, day, now - 2 * day)).to.equal(false);
  });
});

describe('the interval between two mails', () => {
  const minute = 60_000;
  const asked = issueToken(fresh, token, now);
  /** In seconds, rounded up. */
  const pause = (user: User, time: number) => mailFailure(user, minute, time)?.retryAfterSeconds ?? 0;

  it('does not take an update for the answer to a request where the store keeps no times', () => {
    const answered = (user: User) => mailFailure(user, null, now + 1_000, now - 1_000) !== null;
    expect(answered(asked)).to.equal(true);
    const { verification, mailTime: _, ...email } = asked.email;
    const { tokenTime: __, ...withoutTime } = verification;
    expect(answered({ ...asked, email: { ...email, verification: withoutTime } })).to.equal(false);
  });

  it('counts from the last mail, also after a reset', () => {
    for (const user of [asked, confirmVerification(asked, now + 1), resetVerification(asked, now + 2)]) {
      expect(pause(user, now)).to.equal(60);
      expect(pause(user, now + 1_000)).to.equal(59);
      expect(pause(user, now + minute - 1)).to.equal(1);
      expect(pause(user, now + minute)).to.equal(0);
    }
  });

  it('does not apply before the first mail', () => {
    expect(pause(fresh, now)).to.equal(0);
    expect(pause(tokenSetAt(now), now)).to.equal(0);
  });

  it('counts from the last update if the store keeps no times', () => {
    expect(pause(unverified, unverified.lastUpdateTime + 1_000)).to.equal(59);
    expect(pause(resetVerification(unverified, now), now + 1)).to.equal(0);
  });

  it('does not apply after a failed mail, and nothing else changes', () => {
    const { mailTime: _, ...email } = asked.email;
    expect(withoutMailTime(asked)).to.deep.equal({ ...asked, email });
    expect(pause(withoutMailTime(asked), now + 1)).to.equal(0);
    expect(withoutMailTime(fresh)).to.equal(fresh);
  });

  it('tolerates clocks that differ by a second, and ignores times from before the clock was set back', () => {
    expect(pause(asked, now - 1_000)).to.equal(60);
    expect(pause(asked, now - 1_001)).to.equal(0);
    expect(pause(asked, now - 3_600_000)).to.equal(0);
  });

  it('is never exceeded, for any time of the clock', () =>
    fc.assert(
      fc.property(
        users,
        fc.integer({ min: 1, max: 2 ** 40 }),
        fc.integer({ min: 0, max: 2 ** 42 }),
        (user, interval, time) => {
          const refusal = mailFailure(issueToken(user, 'a new token', now), interval, time);
          expect(refusal?.retryAfterSeconds ?? 0).to.be.within(0, Math.ceil(interval / 1_000));
        },
      ),
    ));
});
