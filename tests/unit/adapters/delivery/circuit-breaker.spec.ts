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
    breaker = new CircuitBreaker({ host: 'crm.example.com', messages, maxRejections: 8 }, log);
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
    expect(breaker.concurrency).to.equal(16);
    breaker.recordFailure('failed', 'responded with 500', 0);
    expect(breaker.remainingCooldownMs).to.be.within(4_000, 6_250);
    expect([breaker.concurrency, breaker.error]).to.deep.equal([1, 'responded with 500']);
    breaker.recordDelivery();
    expect(breaker.remainingCooldownMs).to.be.at.most(0);
    expect([breaker.concurrency, breaker.error]).to.deep.equal([16, undefined]);
  });

  it('counts failures of concurrent requests once', () => {
    for (let request = 0; request < 16; request++) breaker.recordFailure('failed', 'responded with 500', 0);
    expect(breaker.remainingCooldownMs).to.be.at.most(6_250);
  });

  it('pauses for as long as the receiver asks', () => {
    breaker.recordFailure('failed', 'responded with 429', 120_000);
    expect(breaker.remainingCooldownMs).to.be.within(100_000, 120_000);
  });

  it('pauses only after eight rejected events in a row', () => {
    for (let event = 0; event < 7; event++) breaker.recordFailure('rejected', 'responded with 400', 0);
    expect([breaker.concurrency, breaker.error]).to.deep.equal([16, undefined]);
    breaker.recordFailure('rejected', 'responded with 400', 0);
    expect([breaker.concurrency, breaker.error]).to.deep.equal([1, 'responded with 400']);
  });

  it('does not pause where a rejection says nothing about other events', () => {
    const unlimited = { host: 'smtp', messages, maxRejections: Number.POSITIVE_INFINITY };
    breaker = new CircuitBreaker(unlimited, log);
    for (let event = 0; event < 100; event++) breaker.recordFailure('rejected', 'responded with 452', 0);
    expect([breaker.concurrency, breaker.error]).to.deep.equal([16, undefined]);
    expect(breaker.remainingCooldownMs).to.be.at.most(0);
    breaker.recordFailure('failed', 'unreachable', 0);
    expect([breaker.concurrency, breaker.error]).to.deep.equal([1, 'unreachable']);
  });

  it('logs an outage once when it begins and once when it ends', () => {
    for (let request = 0; request < 3; request++) breaker.recordFailure('failed', 'responded with 500', 0);
    for (let request = 0; request < 3; request++) breaker.recordDelivery();
    expect(lines).to.deep.equal([
      'is unavailable {"host":"crm.example.com","reason":"responded with 500"}',
      'accepts events again {"host":"crm.example.com"}',
    ]);
  });
});
