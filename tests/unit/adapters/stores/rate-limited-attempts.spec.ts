import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type LimiterOptions, RateLimitedAttempts } from '../../../../adapters/stores/rate-limited-attempts.ts';
import { Fault, type FaultCode } from '../../../../application/fault.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';

const limits = { failures: 3, clientFailures: 0, windowMs: 60_000, blockMs: 60_000 };

describe('a counter whose database does not take a failure', () => {
  /** How often the count is read after a write that throws a Fault. */
  const readsAfter = async (code: FaultCode): Promise<number> => {
    let reads = 0;
    class FailingLimiter extends RateLimiterMemory {
      override async consume(): Promise<never> {
        throw new Fault(code, 'the write fails');
      }

      override async get(): Promise<null> {
        reads++;
        return null;
      }
    }
    const counter = new RateLimitedAttempts(
      {
        limiter: (options: LimiterOptions) => new FailingLimiter(options),
        call: (work) => work(),
        check: async () => '',
        close: async () => undefined,
      },
      limits,
    );
    const fault = await faultOf(counter.recordFailure({ user: 'jane@example.com', client: undefined }));
    expect(fault.code).to.equal(code);
    return reads;
  };

  it('is not asked again while it is unavailable, because the call would take twice its timeout', async () => {
    expect(await readsAfter('store_unavailable')).to.equal(0);
  });

  it('is asked whether the count is damaged if it refuses the write', async () => {
    expect(await readsAfter('store_rejected')).to.equal(1);
  });

  it('has taken the failure of the user, or not, before it throws because of the client address', async () => {
    let consumed = 0;
    class Limiter extends RateLimiterMemory {
      override async consume(key: string) {
        if (this.keyPrefix === 'client') throw new Fault('store_rejected', 'the write fails');
        await new Promise((resolve) => setTimeout(resolve, 10));
        consumed++;
        return super.consume(key);
      }
    }
    const counter = new RateLimitedAttempts(
      {
        limiter: (options: LimiterOptions) => new Limiter(options),
        call: (work) => work(),
        check: async () => '',
        close: async () => undefined,
      },
      { ...limits, clientFailures: 5 },
    );
    await faultOf(counter.recordFailure({ user: 'jane@example.com', client: '192.0.2.7' }));
    expect(consumed).to.equal(1);
  });
});
