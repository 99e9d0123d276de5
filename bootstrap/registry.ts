import { type Either, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { ImportFormat } from '../adapters/import-formats/import-format.ts';
import type { AdapterContext, AdapterDefinition } from '../adapters/kit/definition.ts';
import { Block, type Options } from '../adapters/kit/option-block.ts';
import type { Mailer } from '../application/ports/mailer.ts';
import type { HashVerifier, PasswordHash } from '../application/ports/password-hash.ts';
import type { Secrets } from '../application/ports/secrets.ts';
import type { StorePorts } from '../application/ports/user-store.ts';

/** Opens an adapter whose options are decoded. It rejects only for a configuration that can never work. */
export type OpenAdapter<Port> = (context: AdapterContext) => Promise<Port>;

/** An adapter that the configuration can name, without the type of its options. */
export interface AdapterFactory<Port> {
  /** The adapter's options, for unknown keys and the documentation. Undefined when its codec is not a block. */
  readonly options: Options | undefined;
  /** Decodes the adapter's own keys of a block. Left: their problems, with paths below `context`. */
  prepare(keys: unknown, context: t.Context): Either<t.Errors, OpenAdapter<Port>>;
}

/** The adapters of one port by their name in the configuration. Each is loaded on demand. */
export type Registry<Port> = Readonly<Record<string, () => Promise<AdapterFactory<Port>>>>;

export const adapterFactory = <Configuration, Port>(
  definition: AdapterDefinition<Configuration, Port>,
): AdapterFactory<Port> => ({
  options: definition.configuration instanceof Block ? definition.configuration.options : undefined,
  prepare: (keys, context) =>
    map(
      (configuration: Configuration): OpenAdapter<Port> =>
        (adapterContext) =>
          definition.open(configuration, adapterContext),
    )(definition.configuration.validate(keys, context)),
});

// One line per adapter. An adapter is loaded only when the configuration names it, so that the embedded database does
// not load the AWS SDK.

/** The adapters that `database.type` can name. */
export const stores: Registry<StorePorts> = {
  sqlite: async () => adapterFactory((await import('../adapters/stores/sqlite/index.ts')).sqlite),
  mongodb: async () => adapterFactory((await import('../adapters/stores/mongodb/index.ts')).mongodb),
  dynamodb: async () => adapterFactory((await import('../adapters/stores/dynamodb/index.ts')).dynamodb),
  memory: async () => adapterFactory((await import('../adapters/stores/memory/index.ts')).memory),
};

/** The adapters that `email.type` can name; `none` is not an adapter. */
export const mailers: Registry<Mailer> = {
  ses: async () => adapterFactory((await import('../adapters/mailers/ses/index.ts')).ses),
  smtp: async () => adapterFactory((await import('../adapters/mailers/smtp/index.ts')).smtp),
  outbox: async () => adapterFactory((await import('../adapters/mailers/outbox/index.ts')).outbox),
};

/** The adapters that `secrets.provider` can name. */
export const secrets: Registry<Secrets> = {
  env: async () => adapterFactory((await import('../adapters/secrets/environment-secrets.ts')).environmentSecrets),
  secretsmanager: async () => adapterFactory((await import('../adapters/secrets/secrets-manager.ts')).secretsManager),
};

/** The adapters that `passwordHash.algorithm` can name. */
export const hashes: Registry<PasswordHash> = {
  simple: async () => adapterFactory((await import('../adapters/password-hashes/simple.ts')).simple),
  sha256: async () => adapterFactory((await import('../adapters/password-hashes/sha256.ts')).sha256),
  bcrypt: async () => adapterFactory((await import('../adapters/password-hashes/bcrypt.ts')).bcrypt),
  argon2: async () => adapterFactory((await import('../adapters/password-hashes/argon2.ts')).argon2),
};

/** The algorithms that only `passwordHash.accept` can name, because they make no new hashes. */
export const verifiers: Registry<HashVerifier> = {
  'salted-digest': async () =>
    adapterFactory((await import('../adapters/password-hashes/salted-digest.ts')).saltedDigest),
  phpass: async () => adapterFactory((await import('../adapters/password-hashes/phpass.ts')).phpass),
  'sha-crypt': async () => adapterFactory((await import('../adapters/password-hashes/sha-crypt.ts')).shaCrypt),
  pbkdf2: async () => adapterFactory((await import('../adapters/password-hashes/pbkdf2.ts')).pbkdf2),
  scrypt: async () => adapterFactory((await import('../adapters/password-hashes/scrypt.ts')).scrypt),
  'firebase-scrypt': async () => adapterFactory((await import('../adapters/password-hashes/scrypt.ts')).firebaseScrypt),
};

/** The systems that `import --from` can name. */
export const importFormats: Readonly<Record<string, () => Promise<ImportFormat>>> = {
  firebase: async () => (await import('../adapters/import-formats/firebase.ts')).firebase,
  keycloak: async () => (await import('../adapters/import-formats/keycloak.ts')).keycloak,
  supabase: async () => (await import('../adapters/import-formats/supabase.ts')).supabase,
  auth0: async () => (await import('../adapters/import-formats/auth0.ts')).auth0,
  kratos: async () => (await import('../adapters/import-formats/kratos.ts')).kratos,
  documents: async () => (await import('../adapters/import-formats/documents.ts')).documents,
};
