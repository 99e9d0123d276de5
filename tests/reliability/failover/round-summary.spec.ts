import { expect } from 'chai';
import { longestPause, type Round, summarize } from './round-summary.ts';

describe('the figures of faults of several servers', () => {
  const fault = { isPlanned: false };
  const good: Round = {
    violations: [],
    unexpected: 0,
    writes: 100,
    requests: 1_000,
    late: 0,
    failures: 3,
    pauseMs: 2_000,
    driverPauseMs: 1_900,
  };

  it('measures the longest pause between successes around a fault', () => {
    expect(longestPause([1, 5, 30, 31], 6, 32)).to.equal(25);
    expect(longestPause([1, 5], 6, 32), 'until the end').to.equal(27);
    expect(longestPause([1, 20, 21], 20, 24), 'only after the fault').to.equal(3);
    expect(longestPause([], 6, 32), 'without any').to.equal(26);
  });

  it('sums up rounds, with the median and the longest pause', () => {
    const text = summarize([good, { ...good, pauseMs: 9_000 }, { ...good, pauseMs: 3_000 }], fault);
    expect(text).to.match(
      /^3 times, 300 acknowledged writes in 3000 requests; 0 lost writes, 0 late writes, 0 stale reads,/,
    );
    expect(text).to.contain('9 failed requests; pause of writes: median 3.0 s, longest 9.0 s');
    expect(text).to.contain('of the driver alone: median 1.9 s, longest 1.9 s');
  });

  it('sums up how soon services write to a new primary, and throws when that took too long', () => {
    expect(
      summarize(
        [
          { ...good, recoveryMs: 4_000 },
          { ...good, recoveryMs: 1_000 },
        ],
        fault,
      ),
    ).to.contain('after a primary took writes again: median 4.0 s, longest 4.0 s');
    expect(() => summarize([good, { ...good, recoveryMs: 5_001 }], fault)).to.throw(/^a recovery that took more/);
  });

  it('throws when a response was wrong or unexpected, and when a planned change failed a request', () => {
    const violation = { kind: 'stale read', request: undefined, possible: [1, 2], since: 0 } as const;
    expect(() => summarize([{ ...good, violations: [violation, violation] }], fault)).to.throw(
      /^2 stale reads; 1 times/,
    );
    expect(() => summarize([{ ...good, unexpected: 4 }], fault)).to.throw(/^4 unexpected responses/);
    expect(() => summarize([{ ...good, late: 1 }], fault)).to.throw(/^1 late responses/);
    expect(() => summarize([good], { ...fault, isPlanned: true })).to.throw(/^3 failed requests/);
    expect(summarize([{ ...good, failures: 0 }], { ...fault, isPlanned: true })).to.contain('0 failed requests');
  });
});
