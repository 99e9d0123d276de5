import type { ApplicationKey } from '../client/index.ts';
import type { LatchkeyConfiguration } from './configuration.ts';

/** The key of services whose configuration says nothing about `auth`. */
const testKey: ApplicationKey = { application: 'test', secret: 'test-only-secret' };

/** A configuration as a test wants it where it says nothing itself: users in memory, mails in an outbox, and one key. */
export const withDefaults = ({ database, email, auth, ...others }: LatchkeyConfiguration): LatchkeyConfiguration => ({
  ...others,
  database: database ?? { type: 'memory' },
  email: { type: 'outbox', ...email },
  auth: auth === undefined ? { type: 'basic', keys: [testKey] } : auth,
});

/** The key that callers of a service authenticate with: its first one. Undefined where `auth` is of another type. */
export const keyOf = (auth: { readonly type?: string; readonly keys?: readonly ApplicationKey[] } | null | undefined) =>
  auth?.keys?.[0];
