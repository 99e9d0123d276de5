import { expect } from 'chai';
import { DeliverySlots } from '../../../../adapters/delivery/delivery-slots.ts';

describe('the attempts of a lane', () => {
  it('are limited also while a thousand other lanes are busy', async () => {
    const slots = new DeliverySlots();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let started = 0;
    const attempt = (): Promise<void> => {
      started++;
      return ended;
    };
    const attempts = Array.from({ length: 1_005 }, (_, n) =>
      slots.run(n < 1_000 ? `other ${n}` : 'lane', attempt, () => undefined),
    );
    await new Promise(setImmediate);
    expect(started).to.equal(1_004);
    end();
    await Promise.all(attempts);
    expect(started).to.equal(1_005);
  });
});
