import { asProperties } from '../../adapters/kit/user-json/user-writer.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, userOf } from '../../sdk/contract/arbitraries.ts';

export const jane = addressOf('jane@example.com');
export const token = '0b8f3c55-6b43-4d5a-9d1e-0f6f7a3c2b11';
export const now = 1_800_000_000_000;

/** A user in each state of verification. */
export const verified: User = {
  ...userOf('jane@example.com', { properties: asProperties('{"a":1}') }),
  email: { address: jane, verification: { verified: true, token } },
};
export const unverified: User = { ...verified, email: { address: jane, verification: { verified: false, token } } };
export const fresh: User = { ...verified, email: { address: jane, verification: { verified: false, token: null } } };
