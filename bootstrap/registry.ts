import { type AdapterFactory, adapterFactory } from '../adapters/kit/definition.ts';
import { emlFiles } from '../adapters/mailers/eml-files/index.ts';
import { sha256 } from '../adapters/password-hashes/sha256.ts';
import { simple } from '../adapters/password-hashes/simple.ts';
import { environmentSecrets } from '../adapters/secrets/environment-secrets.ts';
import { memory } from '../adapters/stores/memory/index.ts';
import type { Mailer } from '../application/ports/mailer.ts';
import type { HashVerifier, PasswordHash } from '../application/ports/password-hash.ts';
import type { Secrets } from '../application/ports/secrets.ts';
import type { StorePorts } from '../application/ports/user-store.ts';

/** The adapters of one port by their name in the configuration. Those with a package, or with much code, are loaded on demand. */
export type Registry<Port> = Readonly<Record<string, () => Promise<AdapterFactory<Port>>>>;

// One line per adapter. An adapter is loaded only when the configuration names it, so that the embedded database does
// not load the AWS SDK.

/** The adapters that `database.type` can name. */
export const stores: Registry<StorePorts> = {
  sqlite: async () => adapterFactory((await import('../adapters/stores/sqlite/index.ts')).sqlite),
  mongodb: async () => adapterFactory((await import('../adapters/stores/mongodb/index.ts')).mongodb),
  postgresql: async () => adapterFactory((await import('../adapters/stores/postgresql/index.ts')).postgresql),
  dynamodb: async () => adapterFactory((await import('../adapters/stores/dynamodb/index.ts')).dynamodb),
  memory: async () => adapterFactory(memory),
};

/** The adapters that `email.type` can name; `none` is not an adapter. */
export const mailers: Registry<Mailer> = {
  ses: async () => adapterFactory((await import('../adapters/mailers/ses/index.ts')).ses),
  smtp: async () => adapterFactory((await import('../adapters/mailers/smtp/index.ts')).smtp),
  outbox: async () => adapterFactory(emlFiles),
};

/** The adapters that `secrets.provider` can name. */
export const secrets: Registry<Secrets> = {
  env: async () => adapterFactory(environmentSecrets),
  secretsmanager: async () => adapterFactory((await import('../adapters/secrets/secrets-manager.ts')).secretsManager),
};

/** The adapters that `passwordHash.algorithm` can name. */
export const hashes: Registry<PasswordHash> = {
  simple: async () => adapterFactory(simple),
  sha256: async () => adapterFactory(sha256),
  bcrypt: async () => adapterFactory((await import('../adapters/password-hashes/bcrypt.ts')).bcrypt),
  argon2: async () => adapterFactory((await import('../adapters/password-hashes/argon2.ts')).argon2),
};

const verifierNames = ['salted-digest', 'phpass', 'sha-crypt', 'pbkdf2', 'scrypt', 'firebase-scrypt'] as const;

/** The algorithms that only `passwordHash.accept` can name, because they make no new hashes. They are loaded together. */
export const verifiers: Registry<HashVerifier> = Object.fromEntries(
  verifierNames.map((name) => [name, async () => (await import('./verifiers.ts')).factories[name]]),
);
