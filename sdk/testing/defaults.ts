import type { ApplicationKey } from '../client/index.ts';
import type { LatchkeyConfiguration } from './configuration.ts';

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

/** A key as it is written, or decoded. */
interface Key {
  readonly application: string;
  readonly secret?: string | null;
  readonly secrets?: readonly { readonly secret?: string | null }[] | null;
}

interface Keys {
  readonly type?: string | null;
  readonly keys?: readonly Key[] | null;
}

/** The credentials of the first key; undefined without a key, and if only digests of its secrets are known. */
const credentialsOf = ({ keys }: Keys): ApplicationKey | undefined => {
  const [key] = keys ?? [];
  const secret = key?.secret ?? key?.secrets?.find((one) => one.secret)?.secret;
  return key && secret ? { application: key.application, secret } : undefined;
};

/** The first key of `auth`. Undefined where `auth` is of another type or has no key with a secret. */
export const keyOf = (auth: Keys | null | undefined): ApplicationKey | undefined =>
  auth?.type === 'oauth' ? undefined : credentialsOf(auth ?? {});

/** The first key of `admin`. That of a service without `admin` where it has none, so that calls with it are refused. */
export const administratorOf = (admin: Keys | null | undefined): ApplicationKey =>
  credentialsOf(admin ?? {}) ?? testAdministrator;
