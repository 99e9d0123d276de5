import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { maxRequestDelayMs } from '../../../../application/outgoing/delayed-requests.ts';
import { DeliverySignal } from '../../../../application/outgoing/delivery-signal.ts';
import { RequestRecoveryHandler, recoveryDestination } from '../../../../application/recovery/request-recovery.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { jane } from '../../../support/users.ts';

describe('a request for a recovery', () => {
  it('is due after a random delay of at most two seconds, and remembers when it was made', async () => {
    const outbox = new MemoryEventOutbox();
    const calledMs: number[] = [];
    const clock = { now: () => Date.now() };
    const delivery = new DeliverySignal(clock);
    delivery.subscribe([{ notify: () => void calledMs.push(Date.now()) }]);
    const handler = new RequestRecoveryHandler(delivery.outbox(outbox), { admit: async () => undefined }, clock, 'id');
    const requestedMs = Date.now();
    for (let request = 0; request < 100; request++)
      await handler.handle({ type: 'RequestRecovery', key: keyOf(jane), languages: [] });
    const { events: stored } = await outbox.list(recoveryDestination, 100);
    const delays = stored.map(({ time, body }) => time - JSON.parse(body).requestedTime);
    for (const delay of delays) expect(delay).to.be.within(0, maxRequestDelayMs);
    // Each is below or above the middle with equal probability; one in 2^99 runs would fail.
    expect(Math.min(...delays)).to.be.below(maxRequestDelayMs / 2);
    expect(Math.max(...delays)).to.be.above(maxRequestDelayMs / 2);
    await sleep(maxRequestDelayMs + 500);
    expect(calledMs).to.have.length(100);
    const dueTimes = stored.map(({ time }) => time).toSorted((one, other) => one - other);
    for (const [index, time] of dueTimes.entries()) expect(calledMs[index]).to.be.at.least(time);
    expect(requestedMs).to.be.at.most(dueTimes[0] ?? 0);
  });
});
