import native from 'argon2';
import { sameText } from '../../application/constant-time.ts';
import { type HashStatus, PasswordHash } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block, withDefault } from '../kit/option-block.ts';
import { wholeNumber } from '../kit/option-codecs.ts';
import {
  type Argon2Costs,
  type Argon2Limits,
  currentVersion,
  maxCosts,
  maxWorkKiB,
  minMemoryKiB,
  parseArgon2,
} from './argon2-phc-string.ts';
import { slowHashes } from './slow-hashes.ts';

/** Stores argon2id hashes; verifies argon2id, argon2i and argon2d. */
class Argon2Hash extends PasswordHash {
  private readonly limits: Argon2Limits;

  /** `maxMemoryKiB` limits the memory for verifying a stored hash, but never below the cost of a new hash. */
  constructor(
    private readonly costs: Argon2Costs,
    maxMemoryKiB: number,
  ) {
    super();
    this.limits = {
      memoryKiB: Math.max(maxMemoryKiB, costs.memoryKiB),
      workKiB: Math.max(maxWorkKiB, costs.memoryKiB * costs.passes),
    };
  }

  /** UTF-8 encodes every unpaired surrogate as the same three bytes, so passwords with one would share a hash. */
  canHash(password: string): boolean {
    return password.isWellFormed();
  }

  async hash(password: string): Promise<string> {
    if (!this.canHash(password)) throw new RangeError('the password contains an unpaired surrogate');
    const { memoryKiB: memoryCost, passes: timeCost, parallelism } = this.costs;
    const stored = await slowHashes.run(() =>
      native.hash(password, { type: native.argon2id, memoryCost, timeCost, parallelism }),
    );
    // The package writes p before t, which other implementations of argon2 cannot read.
    return stored.replace(/,p=(\d+),t=(\d+)/, ',t=$2,p=$1');
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const parsed = parseArgon2(stored, this.limits);
    if (parsed === undefined || !this.canHash(password)) return false;
    const { memoryKiB: memoryCost, passes: timeCost, parallelism } = parsed.costs;
    const computed = await slowHashes.run(() =>
      native.hash(password, {
        raw: true,
        type: native[parsed.variant],
        version: parsed.version,
        salt: parsed.salt,
        hashLength: parsed.digestBytes,
        memoryCost,
        timeCost,
        parallelism,
      }),
    );
    return sameText(parsed.digest, computed.toString('base64').replace(/={1,2}$/, ''));
  }

  inspect(stored: string): HashStatus {
    const parsed = parseArgon2(stored, this.limits);
    if (parsed === undefined) return 'foreign';
    const { memoryKiB, passes, parallelism } = parsed.costs;
    const own = this.costs;
    const sameCosts = memoryKiB === own.memoryKiB && passes === own.passes && parallelism === own.parallelism;
    if (sameCosts && parsed.variant === 'argon2id' && parsed.version === currentVersion) return 'current';
    // The time of a verification grows with the product of memory and passes.
    const affordable =
      memoryKiB <= own.memoryKiB && memoryKiB * passes <= own.memoryKiB * own.passes && parallelism <= own.parallelism;
    return affordable ? 'outdated' : 'expensive';
  }
}

// OWASP Password Storage Cheat Sheet, argon2id.
const minPasses = 2;

export const argon2 = defineAdapter({
  type: 'argon2',
  configuration: block({
    memoryKiB: withDefault(
      wholeNumber(minMemoryKiB, maxCosts.memoryKiB),
      minMemoryKiB,
      'The memory that a new hash uses, in KiB.',
    ),
    passes: withDefault(wholeNumber(minPasses, maxCosts.passes), minPasses, 'The number of passes over the memory.'),
    parallelism: withDefault(wholeNumber(1, maxCosts.parallelism), 1, 'The number of threads per hash.'),
  }),
  open: async (costs, { hashMemoryKiB = maxCosts.memoryKiB }) => new Argon2Hash(costs, hashMemoryKiB),
});
