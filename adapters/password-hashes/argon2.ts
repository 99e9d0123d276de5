import native from 'argon2';
import { sameText } from '../../application/constant-time.ts';
import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block, wholeNumber, withDefault } from '../kit/option-codecs.ts';
import {
  type Argon2Ceiling,
  type Argon2Costs,
  currentVersion,
  greatestCosts,
  greatestWorkKiB,
  leastMemoryKiB,
  parseArgon2,
} from './argon2-form.ts';
import { requireWellFormed } from './well-formed.ts';
import { slowHashes } from './work-queue.ts';

/** Stores argon2id hashes; reads argon2id, argon2i and argon2d. */
class Argon2Hash extends PasswordHash {
  override suits(password: string): boolean {
    return password.isWellFormed();
  }

  private readonly ceiling: Argon2Ceiling;

  /** The ceiling is the most memory that a stored hash may take, in KiB; one with the costs of a new hash always may. */
  constructor(
    private readonly costs: Argon2Costs,
    ceilingKiB: number,
  ) {
    super();
    this.ceiling = {
      memoryKiB: Math.max(ceilingKiB, costs.memoryKiB),
      workKiB: Math.max(greatestWorkKiB, costs.memoryKiB * costs.passes),
    };
  }

  async hash(password: string): Promise<string> {
    requireWellFormed(password);
    const { memoryKiB: memoryCost, passes: timeCost, parallelism } = this.costs;
    return slowHashes.run(() => native.hash(password, { type: native.argon2id, memoryCost, timeCost, parallelism }));
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const form = parseArgon2(stored, this.ceiling);
    if (form === undefined || !password.isWellFormed()) return false;
    const { memoryKiB: memoryCost, passes: timeCost, parallelism } = form.costs;
    const computed = await slowHashes.run(() =>
      native.hash(password, {
        raw: true,
        type: native[form.variant],
        version: form.version,
        salt: form.salt,
        hashLength: form.digestBytes,
        memoryCost,
        timeCost,
        parallelism,
      }),
    );
    return sameText(form.digest, computed.toString('base64').replace(/={1,2}$/, ''));
  }

  override recognise(stored: string): Recognition {
    const form = parseArgon2(stored, this.ceiling);
    if (form === undefined) return 'foreign';
    const { memoryKiB, passes, parallelism } = form.costs;
    const own = this.costs;
    const same = memoryKiB === own.memoryKiB && passes === own.passes && parallelism === own.parallelism;
    if (same && form.variant === 'argon2id' && form.version === currentVersion) return 'current';
    // Fewer passes over as much memory, or more over less: the time is that of all blocks that are written.
    const affordable =
      memoryKiB <= own.memoryKiB && memoryKiB * passes <= own.memoryKiB * own.passes && parallelism <= own.parallelism;
    return affordable ? 'outdated' : 'expensive';
  }
}

// The least that OWASP's password storage cheat sheet advises for argon2id.
const leastPasses = 2;

export const argon2 = defineAdapter({
  type: 'argon2',
  configuration: block({
    memoryKiB: withDefault(
      wholeNumber(leastMemoryKiB, greatestCosts.memoryKiB),
      leastMemoryKiB,
      'The memory that a new hash fills, in KiB.',
    ),
    passes: withDefault(wholeNumber(leastPasses, greatestCosts.passes), leastPasses, 'How often it is filled.'),
    parallelism: withDefault(wholeNumber(1, greatestCosts.parallelism), 1, 'How many threads fill it.'),
  }),
  open: async (costs, { hashMemoryKiB = greatestCosts.memoryKiB }) => new Argon2Hash(costs, hashMemoryKiB),
});
