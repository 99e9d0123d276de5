import { type AdapterFactory, adapterFactory } from '../adapters/kit/definition.ts';
import { pbkdf2 } from '../adapters/password-hashes/pbkdf2.ts';
import { phpass } from '../adapters/password-hashes/phpass.ts';
import { saltedDigest } from '../adapters/password-hashes/salted-digest.ts';
import { firebaseScrypt, scrypt } from '../adapters/password-hashes/scrypt.ts';
import { shaCrypt } from '../adapters/password-hashes/sha-crypt.ts';
import type { HashVerifier } from '../application/ports/password-hash.ts';

/** The algorithms of other systems. */
export const factories = {
  'salted-digest': adapterFactory(saltedDigest),
  phpass: adapterFactory(phpass),
  'sha-crypt': adapterFactory(shaCrypt),
  pbkdf2: adapterFactory(pbkdf2),
  scrypt: adapterFactory(scrypt),
  'firebase-scrypt': adapterFactory(firebaseScrypt),
} satisfies Readonly<Record<string, AdapterFactory<HashVerifier>>>;
