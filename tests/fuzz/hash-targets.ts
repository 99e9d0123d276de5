import { algorithmOf, unusableHash } from '../../adapters/import-formats/stored-hashes.ts';
import { argon2 } from '../../adapters/password-hashes/argon2.ts';
import { bcrypt } from '../../adapters/password-hashes/bcrypt.ts';
import { pbkdf2 } from '../../adapters/password-hashes/pbkdf2.ts';
import { phpass } from '../../adapters/password-hashes/phpass.ts';
import { saltedDigest } from '../../adapters/password-hashes/salted-digest.ts';
import { firebaseScrypt, scrypt } from '../../adapters/password-hashes/scrypt.ts';
import { shaCrypt } from '../../adapters/password-hashes/sha-crypt.ts';
import { sha256 } from '../../adapters/password-hashes/sha256.ts';
import type { HashVerifier } from '../../application/ports/password-hash.ts';
import { silentContext } from '../support/doubles/silent-context.ts';
import { assert, type FuzzTarget } from './fuzz-target.ts';

const zeros = (length: number) => 'A'.repeat(length);

/** A hash of each format, with low costs. */
const hashes = [
  `$argon2id$v=19$m=64,t=1,p=1$${zeros(22)}$${zeros(43)}`,
  `$argon2i$m=64,t=2,p=1$${zeros(11)}$${zeros(16)}`,
  `$2b$04$${'.'.repeat(53)}`,
  `$2y$10$${'.'.repeat(53)}`,
  `$pbkdf2-sha256$i=1000,l=32$${zeros(22)}$${zeros(43)}`,
  `$pbkdf2$1000$${zeros(22)}$${zeros(27)}`,
  `pbkdf2_sha512$1000$salt$${zeros(86)}==`,
  `AQAAAAEAACcQAAAAEA${zeros(66)}==`,
  `$scrypt$ln=4,r=8,p=1$${zeros(22)}$${zeros(43)}`,
  `$firebase-scrypt$${zeros(22)}==$${zeros(86)}==`,
  `$P$7${'.'.repeat(30)}`,
  `$5$rounds=1000$saltsalt$${'.'.repeat(43)}`,
  `$6$saltsalt$${'.'.repeat(86)}`,
  `{SSHA}${zeros(32)}`,
  `{SMD5}${zeros(32)}`,
  `sha1$salt$${'0'.repeat(40)}`,
  `md5$$${'0'.repeat(32)}`,
  '0'.repeat(64),
  `${'s'.repeat(16)}${'0'.repeat(64)}`,
];

const firebase = { signerKey: Buffer.alloc(64).toString('base64'), saltSeparator: 'Bw==', rounds: 8, memCost: 4 };
const openVerifiers = async (): Promise<ReadonlyMap<string, HashVerifier>> =>
  new Map<string, HashVerifier>([
    ['argon2', await argon2.open({ memoryKiB: 19_456, passes: 2, parallelism: 1 }, silentContext)],
    ['bcrypt', await bcrypt.open({ cost: 4 }, silentContext)],
    ['pbkdf2', await pbkdf2.open({}, silentContext)],
    ['scrypt', await scrypt.open({}, silentContext)],
    ['firebase-scrypt', await firebaseScrypt.open(firebase, silentContext)],
    ['phpass', await phpass.open({}, silentContext)],
    ['sha-crypt', await shaCrypt.open({}, silentContext)],
    ['salted-digest', await saltedDigest.open({}, silentContext)],
    ['sha256', await sha256.open({}, silentContext)],
  ]);
const opened = openVerifiers();
/** The algorithms of new hashes. */
const makers: ReadonlySet<string> = new Set(['argon2', 'bcrypt', 'sha256']);

/** The algorithms that read a stored hash. */
const readersOf = async (stored: string): Promise<readonly (readonly [string, HashVerifier])[]> =>
  [...(await opened)].filter(([, verifier]) => verifier.inspect(stored) !== 'foreign');

/** What imports and clients that hash passwords bring as stored hashes. */
export const hashTargets: Readonly<Record<string, FuzzTarget>> = {
  storedHashes: {
    seeds: hashes,
    run: async (data) => {
      const stored = data.toString();
      const [reader, ...others] = await readersOf(stored);
      // The salt of sha256 can be any text, also one that looks like another format with a digest of the same digits.
      if (others.some(([name]) => name === 'sha256')) return;
      assert(others.length === 0, 'one algorithm at most reads a hash');
      if (reader === undefined) return;
      const [name, verifier] = reader;
      assert(algorithmOf(stored) === name, `an import names the algorithm ${name}, not ${algorithmOf(stored)}`);
      const unusable = unusableHash(stored);
      if (unusable === undefined || !makers.has(name)) return;
      assert(unusable.length === stored.length, 'an unusable hash is as long');
      assert(verifier.inspect(unusable) === verifier.inspect(stored), 'an unusable hash costs as much');
    },
  },
  verifiedHashes: {
    seeds: hashes,
    // Costs are part of a hash, and bounded by what each algorithm accepts.
    isBounded: true,
    run: async (data) => {
      const stored = data.toString();
      const [[, verifier] = []] = await readersOf(stored);
      if (verifier === undefined || verifier.inspect(stored) === 'expensive' || !isCheap(stored)) return;
      for (const password of ['', 'secret', '\ud800', 'nul\0', 'x'.repeat(300)])
        await verifier.verify(stored, password);
    },
  },
};

/** Whether the numbers in a hash are so small that its verification takes no longer than the bound of an input. */
const isCheap = (stored: string): boolean =>
  !/[1-9]\d{3}/.test(stored.replace(/rounds=1\d{3}\$|[$=]1\d{3}[$,]/, '')) &&
  !/^\$2.\$(?!0[4-6])|ln=(?!\d,)|^A/.test(stored);
