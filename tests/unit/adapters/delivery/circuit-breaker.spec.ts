import { mock } from 'node:test';
import { expect } from 'chai';
import { CircuitBreaker, cooldownMs, retryDelayMs } from '../../../../adapters/delivery/circuit-breaker.ts';
import type { Log } from '../../../../application/ports/log.ts';

const messages = {
  available: 'accepts events again',
  unavailable: 'is unavailable',
  rejected: 'rejected an event',
  expired: 'events',
};

const failed = { outcome: 'failed', reason: 'responded with 500', retryAfterMs: 0 } as const;
const fresh = { attempts: 1 };

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

  it('pauses after a failure, and then allows four requests at a time until one succeeds', () => {
    expect(breaker.limit(16)).to.equal(16);
    breaker.recordFailure(failed, fresh);
    expect(breaker.remainingCooldownMs).to.be.within(4_000, 6_250);
    expect([breaker.limit(16), breaker.error]).to.deep.equal([4, 'responded with 500']);
    breaker.recordDelivery();
    expect(breaker.remainingCooldownMs).to.be.at.most(0);
    expect([breaker.limit(16), breaker.error]).to.deep.equal([16, undefined]);
  });

  it('counts failures of concurrent requests once', () => {
    for (let request = 0; request < 16; request++) breaker.recordFailure(failed, fresh);
    expect(breaker.remainingCooldownMs).to.be.at.most(6_250);
  });

  it('pauses no longer because of requests that were in progress when it began', () => {
    let now = performance.now();
    mock.method(performance, 'now', () => now);
    for (let event = 0; event < 8; event++) breaker.recordFailure({ ...failed, outcome: 'ambiguous' }, fresh);
    now += 4_000;
    breaker.recordFailure({ ...failed, outcome: 'ambiguous' }, fresh);
    now += 2_300;
    expect(breaker.remainingCooldownMs).to.be.at.most(0);
    mock.restoreAll();
  });

  it('pauses for as long as the receiver asks', () => {
    breaker.recordFailure({ ...failed, retryAfterMs: 120_000 }, { attempts: 2 });
    expect(breaker.remainingCooldownMs).to.be.within(100_000, 120_000);
  });

  for (const [kind, outcome, attempts] of [
    ['of events that failed before', 'failed', 2],
    ['after the target was told of an event', 'ambiguous', 1],
  ] as const)
    it(`pauses only after eight failures in a row ${kind}`, () => {
      const failure = { ...failed, outcome };
      for (let round = 0; round < 2; round++) {
        for (let event = 0; event < 7; event++)
          expect(breaker.recordFailure(failure, { attempts }), `${event}`).to.equal(false);
        expect([breaker.limit(16), breaker.error]).to.deep.equal([16, undefined]);
        if (round === 0) breaker.recordDelivery();
      }
      expect(breaker.recordFailure(failure, { attempts })).to.equal(true);
      expect([breaker.limit(16), breaker.error]).to.deep.equal([4, 'responded with 500']);
    });

  it('never pauses for events of which the target was told, and that fail again and again', () => {
    for (let event = 0; event < 100; event++)
      expect(breaker.recordFailure({ ...failed, outcome: 'ambiguous' }, { attempts: 2 })).to.equal(false);
    expect(breaker.error).to.equal(undefined);
  });

  it('pauses for longer while every event fails, of which the target was told', () => {
    for (let event = 0; event < 8; event++) breaker.recordFailure({ ...failed, outcome: 'ambiguous' }, fresh);
    const { remainingCooldownMs } = breaker;
    mock.method(performance, 'now', () => 1e9);
    breaker.recordFailure({ ...failed, outcome: 'ambiguous' }, { attempts: 2 });
    expect(breaker.remainingCooldownMs).to.be.above(remainingCooldownMs);
    mock.restoreAll();
  });

  it('sends up to four events at once to a target that failed', () => {
    breaker.recordFailure(failed, fresh);
    const attempts = [1, 2, 3, 4].map((count) => ({ attempts: count }));
    for (const attempt of attempts.slice(1)) breaker.begin(attempt);
    expect(breaker.limit(16)).to.equal(1);
    for (const attempt of attempts.slice(0, 1)) breaker.begin(attempt);
    expect(breaker.limit(16)).to.equal(0);
    for (const attempt of attempts) breaker.end(attempt);
    expect(breaker.limit(16)).to.equal(4);
  });

  it('logs an outage once when it begins and once when it ends', () => {
    for (let request = 0; request < 3; request++) breaker.recordFailure(failed, fresh);
    for (let request = 0; request < 3; request++) breaker.recordDelivery();
    expect(lines).to.deep.equal([
      'is unavailable {"host":"crm.example.com","reason":"responded with 500"}',
      'accepts events again {"host":"crm.example.com"}',
    ]);
  });
});
