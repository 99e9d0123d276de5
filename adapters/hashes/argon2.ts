import native from 'argon2';
import { block, wholeNumber, withDefault } from '../../application/options.ts';
import { defineAdapter } from '../../application/ports/adapter.ts';
import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';
import { sameText } from '../../domain/same-text.ts';
import { type Argon2Costs, currentVersion, greatestCosts, parseArgon2 } from './argon2-form.ts';
import { requireWellFormed } from './well-formed.ts';
import { slowHashes } from './work-queue.ts';

/** Stores argon2id hashes; reads argon2id, argon2i and argon2d. */
class Argon2Hash extends PasswordHash {
  override suits(password: string): boolean {
    return password.isWellFormed();
  }

  constructor(private readonly costs: Argon2Costs) {
    super();
  }

  async hash(password: string): Promise<string> {
    requireWellFormed(password);
    const { memoryKiB: memoryCost, passes: timeCost, parallelism } = this.costs;
    return slowHashes.run(() => native.hash(password, { type: native.argon2id, memoryCost, timeCost, parallelism }));
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const form = parseArgon2(stored);
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
    return sameText(form.digest, computed.toString('base64').replace(/=+$/, ''));
  }

  override recognise(stored: string): Recognition {
    const form = parseArgon2(stored);
    if (form === undefined) return 'foreign';
    const { memoryKiB, passes, parallelism } = form.costs;
    const same =
      memoryKiB === this.costs.memoryKiB && passes === this.costs.passes && parallelism === this.costs.parallelism;
    return same && form.variant === 'argon2id' && form.version === currentVersion ? 'current' : 'outdated';
  }
}

// The least that OWASP's password storage cheat sheet advises for argon2id: 19 MiB, 2 passes, 1 lane.
const leastMemoryKiB = 19_456;
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
  open: async (costs) => new Argon2Hash(costs),
});
