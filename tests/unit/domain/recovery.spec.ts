import { expect } from 'chai';
import {
  isRecoveryExpired,
  issueRecovery,
  msUntilNextToken,
  recoverPassword,
  recoveryDigestOf,
  wasIssuedAfter,
} from '../../../domain/recovery.ts';
import { disableUser, requirePasswordChange } from '../../../domain/user-state.ts';
import { resetVerification } from '../../../domain/verification.ts';
import { now, unverified, verified } from '../../support/users.ts';

const limits = { lifetimeMs: 3_600_000, resendIntervalMs: 60_000 };
const issued = issueRecovery(verified, 'digest', now);

describe('a recovery', () => {
  it('is outstanding once it was issued, which clients do not see', () => {
    expect(recoveryDigestOf(verified, now)).to.equal(undefined);
    expect(recoveryDigestOf(issued, now)).to.equal('digest');
    expect(issued.lastUpdateTime).to.equal(verified.lastUpdateTime);
    expect(recoveryDigestOf(issueRecovery(issued, 'next', now + 1), now + 1)).to.equal('next');
  });

  it('ends when the user is disabled or the verification is reset, because somebody else may have the link', () => {
    const disabled = disableUser(issued, { reason: 'a test', until: now + 10 }, now);
    expect(recoveryDigestOf(disabled, now)).to.equal(undefined);
    expect(recoveryDigestOf(disabled, now + 10)).to.equal(undefined);
    expect(recoveryDigestOf(resetVerification(issued, now), now)).to.equal(undefined);
  });

  it('cannot be used while the user is disabled, also if it was issued meanwhile', () => {
    const disabled = issueRecovery(disableUser(verified, { reason: 'a test', until: now + 10 }, now), 'digest', now);
    expect(recoveryDigestOf(disabled, now)).to.equal(undefined);
    expect(recoveryDigestOf(disabled, now + 10)).to.equal('digest');
  });

  it('expires at the end of its lifetime', () => {
    expect(isRecoveryExpired(issued, limits, now + limits.lifetimeMs - 1)).to.equal(false);
    expect(isRecoveryExpired(issued, limits, now + limits.lifetimeMs)).to.equal(true);
    expect(isRecoveryExpired(verified, limits, now)).to.equal(true);
  });

  it('is issued again after the interval', () => {
    expect(msUntilNextToken(verified, limits, now)).to.equal(0);
    expect(msUntilNextToken(issued, limits, now + 1)).to.equal(59_999);
    expect(msUntilNextToken(issued, limits, now + 60_000)).to.equal(0);
  });

  it('is issued at once where the clock was set back, because the time that has passed is unknown', () => {
    expect(msUntilNextToken(issued, limits, now - 1_000)).to.equal(60_000);
    expect(msUntilNextToken(issued, limits, now - 1_001)).to.equal(0);
  });

  it('answers requests that were made before, except where the clock was set back', () => {
    expect(wasIssuedAfter(verified, now - 1, now)).to.equal(false);
    expect(wasIssuedAfter(issued, now - 1, now)).to.equal(true);
    expect(wasIssuedAfter(issued, now, now)).to.equal(false);
    expect(wasIssuedAfter(issued, now - 2_000, now - 1_000)).to.equal(true);
    expect(wasIssuedAfter(issued, now - 2_000, now - 1_001)).to.equal(false);
  });

  it('leaves a verified user with the password, and with neither a token of any mail nor a required change', () => {
    const linked = { ...unverified, email: { ...unverified.email, verificationToken: 'link', tokenTime: now } };
    const required = requirePasswordChange(issueRecovery(linked, 'digest', now), now);
    const recovered = recoverPassword(required, 'new', now + 5);
    expect(recovered).to.deep.equal({
      ...unverified,
      email: { ...unverified.email, verified: true, verificationToken: null, recoveryTime: now, passwordTime: now + 5 },
      password: 'new',
      lastUpdateTime: now + 5,
    });
  });
});
