import { expect } from 'chai';
import { isExpired, msUntilNext, resendTooSoon, wasIssuedAfter } from '../../../domain/one-time-token.ts';
import { now } from '../../support/users.ts';

const intervalMs = 60_000;

describe('a one-time token', () => {
  it('expires at the end of its lifetime', () => {
    expect(isExpired(now, 1_000, now + 999)).to.equal(false);
    expect(isExpired(now, 1_000, now + 1_000)).to.equal(true);
  });

  it('is issued again after the interval', () => {
    expect(msUntilNext(undefined, intervalMs, now)).to.equal(0);
    expect(msUntilNext(now, intervalMs, now + 1)).to.equal(59_999);
    expect(msUntilNext(now, intervalMs, now + 60_000)).to.equal(0);
    expect(msUntilNext(now, null, now)).to.equal(0);
  });

  it('is issued at once where the clock was set back, because the time that has passed is unknown', () => {
    expect(msUntilNext(now, intervalMs, now - 1_000)).to.equal(60_000);
    expect(msUntilNext(now, intervalMs, now - 1_001)).to.equal(0);
  });

  it('answers requests that were made before, except where the clock was set back', () => {
    expect(wasIssuedAfter(undefined, now - 1, now)).to.equal(false);
    expect(wasIssuedAfter(now, now - 1, now)).to.equal(true);
    expect(wasIssuedAfter(now, now, now)).to.equal(false);
    expect(wasIssuedAfter(now, now - 2_000, now - 1_000)).to.equal(true);
    expect(wasIssuedAfter(now, now - 2_000, now - 1_001)).to.equal(false);
  });

  it('is refused with the whole seconds until the next one', () => {
    expect(resendTooSoon(1_001)).to.deep.equal({ code: 'resend_too_soon', retryAfterSeconds: 2 });
  });
});
