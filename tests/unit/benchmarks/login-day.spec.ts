import { expect } from 'chai';
import { expectedHits, hourlyShare, loginDay, zipfShares } from '../../../benchmarks/load/login-day.ts';

/** A reproducible sequence of numbers from 0 to below 1 (a linear congruential generator). */
const generator = () => {
  let state = 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
};

const model = { users: 1_000, durationMs: 240_000, peakPerSecond: 200, exponent: 1 };

describe('the model of a day of logins', () => {
  const day = loginDay(model, generator());
  const inHour = (wanted: number) => day.filter(({ hour }) => hour === wanted);

  it('sends the configured rate in the busiest hour, and the share of each other hour', () => {
    for (const [hour, share] of hourlyShare.entries()) {
      const expected = model.peakPerSecond * 10 * share;
      expect(inHour(hour).length, `hour ${hour}`).to.be.within(
        expected - 5 * Math.sqrt(expected),
        expected + 5 * Math.sqrt(expected),
      );
    }
  });

  it('is in the order of time', () => {
    expect(day.every(({ atMs }, index) => atMs >= (day[index - 1]?.atMs ?? 0) && atMs < model.durationMs)).to.equal(
      true,
    );
  });

  it('has users with the shares of Zipf’s law', () => {
    const counts = new Map<number, number>();
    for (const { user } of day) counts.set(user, (counts.get(user) ?? 0) + 1);
    const [most = 0, second = 0] = [...counts.values()].sort((one, other) => other - one);
    const [share = 0] = zipfShares(model.users, 1);
    expect(most / day.length).to.be.closeTo(share, 0.02);
    expect(second / most).to.be.closeTo(0.5, 0.1);
    expect([...counts.keys()].every((user) => user >= 0 && user < model.users)).to.equal(true);
  });

  it('consists of 95 % logins', () => {
    expect(day.filter(({ action }) => action === 'login').length / day.length).to.be.closeTo(0.95, 0.01);
  });

  it('expects the hits that a cache with expiring entries has', () => {
    const shares = zipfShares(model.users, 1);
    const ttlMs = 5_000;
    const expiries = new Map<number, number>();
    let hits = 0;
    // A constant rate, for which the formula holds.
    for (const [index, { user }] of day.entries()) {
      const nowMs = index * 10;
      if ((expiries.get(user) ?? 0) > nowMs) hits++;
      else expiries.set(user, nowMs + ttlMs);
    }
    expect(hits / day.length).to.be.closeTo(expectedHits(shares, 100, ttlMs / 1_000), 0.02);
  });
});
