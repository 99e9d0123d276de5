import { expect } from 'chai';
import { isExpired, resendFailure } from '../../../domain/one-time-token.ts';
import { now } from '../../support/users.ts';

const intervalMs = 60_000;

/** After how many seconds the next one may be issued; null if it may be issued now. */
const waitAfter = (last: number | undefined, time: number, interval: number | null = intervalMs, requested?: number) =>
  resendFailure(last, interval, time, requested)?.retryAfterSeconds ?? null;

describe('a one-time token', () => {
  it('expires at the end of its lifetime', () => {
    expect(isExpired(now, 1_000, now + 999)).to.equal(false);
    expect(isExpired(now, 1_000, now + 1_000)).to.equal(true);
  });

  it('is issued again after the interval', () => {
    expect(waitAfter(undefined, now)).to.equal(null);
    expect(waitAfter(now, now + 58_999)).to.equal(2);
    expect(waitAfter(now, now + 59_999)).to.equal(1);
    expect(waitAfter(now, now + 60_000)).to.equal(null);
    expect(waitAfter(now, now, null)).to.equal(null);
  });

  it('is issued at once where the clock was set back, because the time that has passed is unknown', () => {
    expect(waitAfter(now, now - 1_000)).to.equal(60);
    expect(waitAfter(now, now - 1_001)).to.equal(null);
  });

  it('answers requests that were made before, except where the clock was set back', () => {
    expect(waitAfter(undefined, now, null, now - 1)).to.equal(null);
    expect(waitAfter(now, now, null, now - 1)).to.equal(0);
    expect(waitAfter(now, now, null, now)).to.equal(null);
    expect(waitAfter(now, now - 1_000, null, now - 2_000)).to.equal(0);
    expect(waitAfter(now, now - 1_001, null, now - 2_000)).to.equal(null);
    expect(waitAfter(now, now + 60_000, intervalMs, now - 1)).to.equal(0);
  });
});
