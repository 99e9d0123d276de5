import type { ApplicationKey } from '../client/index.ts';
import type { AdminOptions, AuthOptions, LatchkeyConfiguration } from './configuration.ts';

/** The key of a service whose configuration has no `auth`. */
const testKey: ApplicationKey = { application: 'test', secret: 'test-only-secret' };

/** The administrator of a service whose configuration has no `admin`. */
const testAdministrator: ApplicationKey = { application: 'test-admin', secret: 'test-only-admin-secret' };

/** Completes a configuration for tests: users in memory, mails in an outbox, one key and one administrator. */
export const withDefaults = ({
  database,
  email,
  auth,
  admin,
  ...others
}: LatchkeyConfiguration): LatchkeyConfiguration => ({
  ...others,
  admin: admin === undefined ? { keys: [testAdministrator] } : admin,
  database: database ?? { type: 'memory' },
  email: { type: 'outbox', ...email },
  auth: auth === undefined ? { type: 'basic', keys: [testKey] } : auth,
});

/** The first key of `auth`. Undefined where `auth` is of another type or has no key. */
export const keyOf = (auth: AuthOptions | null | undefined): ApplicationKey | undefined =>
  auth?.type === 'oauth' ? undefined : auth?.keys?.[0];

/** The first key of `admin`. That of a service without `admin` where it has none, so that calls with it are refused. */
export const administratorOf = (admin: AdminOptions | null | undefined): ApplicationKey =>
  admin?.keys?.[0] ?? testAdministrator;
