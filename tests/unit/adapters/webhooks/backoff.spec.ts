import { expect } from 'chai';
import { pauseAskedFor, pauseOfEvent, pauseOfReceiver } from '../../../../adapters/webhooks/backoff.ts';

describe('the pauses of the delivery', () => {
  it('double from five seconds to an hour for an event, spread by a quarter', () => {
    for (const [attempts, seconds] of [
      [1, 5],
      [2, 10],
      [5, 80],
      [10, 2_560],
      [11, 3_600],
      [10_000, 3_600],
    ] as const)
      expect(pauseOfEvent(attempts)).to.be.within(seconds * 1_000, seconds * 1_250);
  });

  it('end at a minute for a receiver, which is tried again soon after it is back', () => {
    expect(pauseOfReceiver(1)).to.be.within(5_000, 6_250);
    expect(pauseOfReceiver(100)).to.be.within(60_000, 75_000);
  });

  it('are what Retry-After asks for, in seconds or as a date, up to an hour', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(pauseAskedFor('120', now)).to.equal(120_000);
    expect(pauseAskedFor('Thu, 01 Jan 2026 00:01:00 GMT', now)).to.equal(60_000);
    expect(pauseAskedFor('999999999', now)).to.equal(3_600_000);
    for (const header of [null, '', 'soon', '-5', 'Wed, 31 Dec 2025 00:00:00 GMT'])
      expect(pauseAskedFor(header, now), String(header)).to.equal(0);
  });
});
