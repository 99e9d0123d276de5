import { expect } from 'chai';
import { type CountStorage, StoredAttempts } from '../../../../adapters/stores/stored-attempts.ts';
import { Fault, type FaultCode } from '../../../../application/fault.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';

const limits = { failures: 3, clientFailures: 0, windowMs: 60_000, blockMs: 60_000 };

/** A storage without counts. */
const empty: CountStorage = {
  get: async () => undefined,
  add: async () => 1,
  set: async () => undefined,
  delete: async () => undefined,
  call: (work) => work(),
  check: async () => '',
  close: async () => undefined,
};

describe('a counter whose database does not take a failure', () => {
  /** How often the count is read after a write that throws a Fault. */
  const readsAfter = async (code: FaultCode): Promise<number> => {
    let reads = 0;
    const storage: CountStorage = {
      ...empty,
      add: async () => {
        throw new Fault(code, 'the write fails');
      },
      get: async () => void reads++,
    };
    const counter = new StoredAttempts(storage, limits);
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
    let counted = 0;
    const storage: CountStorage = {
      ...empty,
      add: async (key) => {
        if (key.startsWith('client:')) throw new Fault('store_rejected', 'the write fails');
        await new Promise((resolve) => setTimeout(resolve, 10));
        return ++counted;
      },
    };
    const counter = new StoredAttempts(storage, { ...limits, clientFailures: 5 });
    await faultOf(counter.recordFailure({ user: 'jane@example.com', client: '192.0.2.7' }));
    expect(counted).to.equal(1);
  });
});
