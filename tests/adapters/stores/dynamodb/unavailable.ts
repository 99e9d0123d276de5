import { expect } from 'chai';
import type { StoredUser, UserStore } from '../../../../application/ports/user-store.ts';
import { within } from '../../../../application/within.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../arbitraries.ts';
import { rejection } from '../../../rejection.ts';

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

/** Every call is answered as unavailable within so many milliseconds, and the message says why. */
export const isUnavailable = async (store: UserStore, patience: number, reason = /./): Promise<void> => {
  const faults = Promise.all(everyCall(store).map(rejection));
  for (const fault of await within(patience, faults, () => new Error(`no answer in ${patience} ms`))) {
    expect(fault).to.include({ name: 'Fault', code: 'store_unavailable' });
    expect(fault).to.have.property('message').that.matches(reason);
  }
};
