import { expect } from 'chai';
import { MemoryUserStore } from '../../../../adapters/stores/memory/index.ts';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { DeliverySignal } from '../../../../application/outgoing/delivery-signal.ts';
import { claimEvent } from '../../../../application/outgoing/single-events.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

describe('a delivery of stored events', () => {
  it('is notified when a stored event is made due, but not of a claim, a failed attempt or after its end', async () => {
    const now = 1_800_000_000_000;
    const signal = new DeliverySignal(new ManualClock(now));
    const outbox = signal.outbox(new MemoryEventOutbox());
    let notified = 0;
    const deliveries = [{ notify: () => void notified++ }];
    signal.subscribe(deliveries);
    await outbox.add([{ id: 'one', destination: 'mails', time: now, body: '{}' }]);
    expect(notified).to.equal(1);
    const [waiting] = (await outbox.list('mails', 1)).events;
    if (waiting === undefined) throw new Error('no event waits');
    const claimed = await claimEvent(outbox, waiting, now + 1_000);
    if (claimed === undefined) throw new Error('the event was not claimed');
    await outbox.postpone(claimed, now + 60_000);
    expect(notified).to.equal(1);
    await outbox.postpone(claimed, now);
    expect(notified).to.equal(2);
    signal.unsubscribe(deliveries);
    await outbox.postpone(claimed, now);
    expect(notified).to.equal(2);
  });

  it('is notified also of the write of a store in JavaScript that returns no promise', async () => {
    const now = 1_800_000_000_000;
    const signal = new DeliverySignal(new ManualClock(now));
    const { users } = new MemoryUserStore().ports;
    const user = userOf('jane@example.com');
    const plain = Object.assign(users, { insert: () => ({ user, version: '1' }), remove: () => 'removed' });
    const store = new SettlingStore({ users: plain }, undefined, undefined, signal);
    let notified = 0;
    signal.subscribe([{ notify: () => void notified++ }]);
    const events = [{ id: 'one', destination: 'mails', time: now, body: '{}' }];
    expect(await store.insert(user, events, performance.now())).to.include({ version: '1' });
    expect(notified).to.equal(1);
    expect(await store.remove({ user, version: '1' }, events)).to.equal('removed');
    expect(notified).to.equal(2);
  });
});
