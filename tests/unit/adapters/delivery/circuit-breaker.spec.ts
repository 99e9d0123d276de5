import { expect } from 'chai';
import { CircuitBreaker, cooldownMs, retryDelayMs } from '../../../../adapters/delivery/circuit-breaker.ts';
import type { Log } from '../../../../application/ports/log.ts';

const messages = {
  available: 'accepts events again',
  unavailable: 'is unavailable',
  rejected: 'rejected an event',
  expired: 'events',
};

describe('the circuit breaker of a target', () => {
  let lines: string[];
  let breaker: CircuitBreaker;

  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };

  beforeEach(() => {
    lines = [];
    breaker = new CircuitBreaker({ host: 'crm.example.com', messages }, log);
  });

  it('doubles the delay of an event from five seconds to an hour, with jitter of a quarter', () => {
    for (const [attempts, seconds] of [
      [1, 5],
      [2, 10],
      [5, 80],
      [10, 2_560],
      [11, 3_600],
      [10_000, 3_600],
    ] as const)
      expect(retryDelayMs(attempts, 3_600_000)).to.be.within(seconds * 1_000, seconds * 1_250);
  });

  it('pauses for at most about a minute', () => {
    expect(cooldownMs(1)).to.be.within(5_000, 6_250);
    expect(cooldownMs(100)).to.be.within(60_000, 75_000);
  });

  it('pauses after a failure, and then allows one request at a time until one succeeds', () => {
    expect(breaker.limit(16)).to.equal(16);
    breaker.recordFailure('responded with 500', 0, false);
    expect(breaker.remainingCooldownMs).to.be.within(4_000, 6_250);
    expect([breaker.limit(16), breaker.error]).to.deep.equal([1, 'responded with 500']);
    breaker.recordDelivery();
    expect(breaker.remainingCooldownMs).to.be.at.most(0);
    expect([breaker.limit(16), breaker.error]).to.deep.equal([16, undefined]);
  });

  it('counts failures of concurrent requests once', () => {
    for (let request = 0; request < 16; request++) breaker.recordFailure('responded with 500', 0, false);
    expect(breaker.remainingCooldownMs).to.be.at.most(6_250);
  });

  it('pauses for as long as the receiver asks', () => {
    breaker.recordFailure('responded with 429', 120_000, true);
    expect(breaker.remainingCooldownMs).to.be.within(100_000, 120_000);
  });

  it('pauses only after eight failures in a row of events that failed before', () => {
    for (let round = 0; round < 2; round++) {
      for (let event = 0; event < 7; event++)
        expect(breaker.recordFailure('responded with 500', 0, true), `${event}`).to.equal(false);
      expect([breaker.limit(16), breaker.error]).to.deep.equal([16, undefined]);
      if (round === 0) breaker.recordDelivery();
    }
    expect(breaker.recordFailure('responded with 500', 0, true)).to.equal(true);
    expect([breaker.limit(16), breaker.error]).to.deep.equal([1, 'responded with 500']);
  });

  it('sends up to four events to a target that failed, until one is among them that did not fail before', () => {
    breaker.recordFailure('responded with 500', 0, false);
    const [one, other, third, fourth] = [2, 3, 4, 5].map((attempts) => ({ attempts }));
    for (const attempt of [one, other, third]) if (attempt) breaker.begin(attempt);
    expect(breaker.limit(16)).to.equal(1);
    if (fourth) breaker.begin(fourth);
    expect(breaker.limit(16)).to.equal(0);
    for (const attempt of [one, other, third, fourth]) if (attempt) breaker.end(attempt);
    const fresh = { attempts: 1 };
    breaker.begin(fresh);
    expect(breaker.limit(16)).to.equal(0);
    breaker.end(fresh);
    expect(breaker.limit(16)).to.equal(1);
  });

  it('logs an outage once when it begins and once when it ends', () => {
    for (let request = 0; request < 3; request++) breaker.recordFailure('responded with 500', 0, false);
    for (let request = 0; request < 3; request++) breaker.recordDelivery();
    expect(lines).to.deep.equal([
      'is unavailable {"host":"crm.example.com","reason":"responded with 500"}',
      'accepts events again {"host":"crm.example.com"}',
    ]);
  });
});
