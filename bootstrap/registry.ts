import type { Mailer } from '../application/ports/mailer.ts';
import type { PasswordHash } from '../application/ports/password-hash.ts';
import type { Secrets } from '../application/ports/secrets.ts';
import type { StorePorts } from '../application/ports/user-store.ts';
import { offer, type Registry } from './adapter-factory.ts';

// One line for each adapter, loaded only when the configuration names it: the embedded default pays for no cloud client.

/** What `database.type` can name. */
export const stores: Registry<StorePorts> = {
  sqlite: async () => offer((await import('../adapters/stores/sqlite/index.ts')).sqlite),
  mongodb: async () => offer((await import('../adapters/stores/mongodb/index.ts')).mongodb),
  dynamodb: async () => offer((await import('../adapters/stores/dynamodb/index.ts')).dynamodb),
  memory: async () => offer((await import('../adapters/stores/memory/index.ts')).memory),
};

/** What `email.type` can name, beside `none`. */
export const mailers: Registry<Mailer> = {
  ses: async () => offer((await import('../adapters/mailers/ses/index.ts')).ses),
  smtp: async () => offer((await import('../adapters/mailers/smtp/index.ts')).smtp),
  outbox: async () => offer((await import('../adapters/mailers/outbox/index.ts')).outbox),
};

/** What `secrets.provider` can name. */
export const secrets: Registry<Secrets> = {
  env: async () => offer((await import('../adapters/secrets/env/index.ts')).env),
  secretsmanager: async () => offer((await import('../adapters/secrets/secretsmanager/index.ts')).secretsmanager),
};

/** What `passwordHash.algorithm` can name. */
export const hashes: Registry<PasswordHash> = {
  simple: async () => offer((await import('../adapters/password-hashes/simple.ts')).simple),
  sha256: async () => offer((await import('../adapters/password-hashes/sha256.ts')).sha256),
  bcrypt: async () => offer((await import('../adapters/password-hashes/bcrypt.ts')).bcrypt),
  argon2: async () => offer((await import('../adapters/password-hashes/argon2.ts')).argon2),
};
