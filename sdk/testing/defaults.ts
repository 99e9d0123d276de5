import type { ApplicationKey } from '../client/index.ts';
import type { AuthOptions, LatchkeyConfiguration } from './configuration.ts';

/** The key of a service whose configuration has no `auth`. */
const testKey: ApplicationKey = { application: 'test', secret: 'test-only-secret' };

/** Completes a configuration for tests: users in memory, mails in an outbox, and one key. */
export const withDefaults = ({ database, email, auth, ...others }: LatchkeyConfiguration): LatchkeyConfiguration => ({
  ...others,
  database: database ?? { type: 'memory' },
  email: { type: 'outbox', ...email },
  auth: auth === undefined ? { type: 'basic', keys: [testKey] } : auth,
});

/** The first key of `auth`. Undefined where `auth` is of another type or has no key. */
export const keyOf = (auth: AuthOptions | null | undefined): ApplicationKey | undefined =>
  auth?.type === 'oauth' ? undefined : auth?.keys?.[0];
