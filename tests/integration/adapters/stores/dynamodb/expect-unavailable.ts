import { expect } from 'chai';
import { withTimeout } from '../../../../../application/interceptor.ts';
import type { StoredUser, UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';

export const ada = userOf('ada@example.com');
export const key = keyOf(ada.email.address);
const moved = { ...ada, email: { ...ada.email, address: addressOf('lovelace@example.com') } };
const previous: StoredUser = { user: ada, version: 'v' };

const everyCall = (store: UserStore): readonly Promise<unknown>[] => [
  store.find(key),
  store.insert(ada),
  store.replace(previous, ada),
  store.replace(previous, moved),
  store.remove(previous),
  store.check(),
];

/**
 * Expects every method of a store to throw `store_unavailable` within a timeout, with a message that matches `reason`.
 */
export const expectUnavailable = async (store: UserStore, timeoutMs: number, reason = /./): Promise<void> => {
  const faults = Promise.all(everyCall(store).map(rejection));
  for (const fault of await withTimeout(timeoutMs, faults, () => new Error(`no response within ${timeoutMs} ms`))) {
    expect(fault).to.include({ name: 'Fault', code: 'store_unavailable' });
    expect(fault).to.have.property('message').that.matches(reason);
  }
};
