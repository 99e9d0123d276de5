import { mock } from 'node:test';
import { expect } from 'chai';
import { Fault } from '../../../../application/fault.ts';
import { RequestBacklog } from '../../../../application/outgoing/delayed-requests.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

describe('the backlog of requests for a recovery', () => {
  let nowMs: number;
  let waiting: number;
  let counts: number;

  const outbox = {
    pending: async (destination: string, most: number): Promise<number> => {
      expect(destination).to.equal('recovery');
      counts++;
      return Math.min(waiting, most);
    },
  };

  const backlogOf = (counted: Pick<typeof outbox, 'pending'>, lifetimeMs: number) =>
    new RequestBacklog(counted, 'recovery', 'requests for a recovery', lifetimeMs);

  /** Stores as many of `requests` at once as are admitted, and returns their number. */
  const admitted = async (backlog: RequestBacklog, requests: number): Promise<number> => {
    const results = await Promise.allSettled(Array.from({ length: requests }, () => backlog.admit()));
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).to.be.instanceOf(Fault).and.include({ code: 'overloaded', retryAfterSeconds: 30 });
    const stored = results.filter(({ status }) => status === 'fulfilled').length;
    waiting += stored;
    return stored;
  };

  beforeEach(() => {
    nowMs = 10_000;
    waiting = 0;
    counts = 0;
    mock.method(performance, 'now', () => nowMs);
  });
  afterEach(() => mock.restoreAll());

  it('is limited by what is answered before it expires', async () => {
    expect(await admitted(backlogOf(outbox, 60_000), 1_000)).to.equal(300);
  });

  it('is limited where tokens live long, so that people do not wait long', async () => {
    expect(await admitted(backlogOf(outbox, 86_400_000), 6_000)).to.equal(5_000);
  });

  it('admits requests again when others were answered, and counts at most once a second', async () => {
    const backlog = backlogOf(outbox, 20_000);
    expect(await admitted(backlog, 150)).to.equal(100);
    waiting = 40;
    expect(await admitted(backlog, 10)).to.equal(0);
    expect(counts).to.equal(1);
    nowMs += 1_000;
    expect(await admitted(backlog, 150)).to.equal(60);
    expect(counts).to.equal(2);
  });

  it('counts the requests that other processes stored', async () => {
    const [one, other] = [backlogOf(outbox, 20_000), backlogOf(outbox, 20_000)];
    expect(await admitted(one, 70)).to.equal(70);
    expect(await admitted(other, 70)).to.equal(30);
  });

  it('passes on a Fault of the store, and counts again for the next request', async () => {
    let fault: Fault | undefined = new Fault('store_unavailable', 'away');
    const failing = {
      pending: async () => {
        if (fault !== undefined) throw fault;
        return 0;
      },
    };
    const backlog = backlogOf(failing, 20_000);
    expect(await rejection(backlog.admit())).to.equal(fault);
    fault = undefined;
    await backlog.admit();
  });
});
