import { expect } from 'chai';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { faultOf } from '../../sdk/contract/outcomes.ts';

/** Expects that no call reads, replaces or reserves what is stored under the address of a user, and that the Fault names it. */
export const expectUnreadable = async (ports: Pick<StorePorts, 'users'>, user: User): Promise<void> => {
  const key = keyOf(user.email.address);
  const store = new SettlingStore(ports);
  expect(await ports.users.reserve(key), `a reservation of ${key}`).to.equal('taken');
  for (const call of [() => store.find(key), () => store.insert(user, [], performance.now())]) {
    const fault = await faultOf(call());
    expect(fault).to.include({ code: 'store_rejected', record: key });
    expect(fault.message).to.match(/has no readable password$/);
  }
};
