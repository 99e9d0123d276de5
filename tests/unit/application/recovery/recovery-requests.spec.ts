import { expect } from 'chai';
import { CommandBus } from '../../../../application/bus.ts';
import { Fault } from '../../../../application/fault.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { RecoveryRequests } from '../../../../application/recovery/request-recovery.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { now } from '../../../support/users.ts';

const lifetimeMs = 3_600_000;

/** A stored request that was claimed. */
const claimed = {
  id: '1',
  destination: 'recovery',
  time: now,
  body: JSON.stringify({ key: 'jane@example.com', languages: [], requestedTime: now }),
  receipt: 'a receipt',
  attempts: 1,
};

describe('the answers to stored requests for a recovery', () => {
  let lines: string[];
  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };

  beforeEach(() => {
    lines = [];
  });

  const answerWhere = (fault: Error) => {
    const handle = async (): Promise<never> => {
      throw fault;
    };
    const handlers = {
      RequestRecovery: { handle },
      IssueRecovery: { handle },
      ConfirmRecovery: { handle },
    };
    const bus = new CommandBus(handlers, (_, next) => next());
    return new RecoveryRequests(bus, 10_000, lifetimeMs, log, 'a configuration').send(claimed, now);
  };

  it('are repeated while the store is unavailable', async () => {
    expect(await answerWhere(new Fault('store_unavailable', 'away'))).to.deep.equal({
      outcome: 'failed',
      reason: 'away',
      retryAfterMs: 0,
    });
    expect(lines).to.deep.equal([]);
  });

  it('are given up where the store cannot read the user, so that others are answered, and logged', async () => {
    const unreadable = new Fault('store_rejected', 'a stored user has no readable creationTime', { record: 'key' });
    expect(await answerWhere(unreadable)).to.deep.equal({ outcome: 'refused', reason: unreadable.message });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain(unreadable.message).and.not.contain('jane');
  });

  it('are kept where the store rejects them for another reason, such as a missing table', async () => {
    const missing = new Fault('store_rejected', 'DynamoDB: the table does not exist');
    const { message: reason } = missing;
    expect(await answerWhere(missing)).to.deep.equal({ outcome: 'ambiguous', reason, retryAfterMs: 0 });
    expect(lines).to.deep.equal([]);
  });

  it('leave an unexpected error to the queue, because it concerns one request', async () => {
    const damaged = new SyntaxError('Unexpected token j in jane@example.com');
    expect(await rejection(answerWhere(damaged))).to.equal(damaged);
  });
});
