import native from 'bcrypt';
import { sameText } from '../../application/constant-time.ts';
import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block, wholeNumber, withDefault } from '../kit/option-codecs.ts';
import { slowHashes } from './work-queue.ts';

const longestPassword = 72;
const leastCost = 4;
// 2^15 rounds take two seconds; a client that stores its own hash can make the service spend no more.
const greatestCost = 15;

const form = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;

/** A bcrypt hash, taken apart: `salt` is in the form that the package reads, cost included. */
interface BcryptForm {
  readonly cost: number;
  readonly salt: string;
  readonly digest: string;
}

/** Reads a bcrypt hash; undefined when it is malformed or too expensive. */
const parse = (stored: string): BcryptForm | undefined => {
  const [, cost = '', salt, digest] = form.exec(stored) ?? [];
  if (salt === undefined || digest === undefined) return undefined;
  if (Number(cost) < leastCost || Number(cost) > greatestCost) return undefined;
  // For passwords of at most 72 bytes $2a$ and $2y$ are the same algorithm as $2b$; the package does not know $2y$.
  return { cost: Number(cost), salt: `$2b$${cost}$${salt}`, digest };
};

/** Stores bcrypt hashes in the form $2b$; reads $2a$, $2b$ and $2y$. */
class BcryptHash extends PasswordHash {
  constructor(private readonly cost: number) {
    super();
  }

  async hash(password: string): Promise<string> {
    if (!this.suits(password)) throw new RangeError('bcrypt can not tell this password from every other');
    return slowHashes.run(() => native.hash(password, this.cost));
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const parsed = parse(stored);
    if (parsed === undefined || !this.suits(password)) return false;
    const computed = await slowHashes.run(() => native.hash(password, parsed.salt));
    return sameText(parsed.digest, computed.slice(parsed.salt.length));
  }

  override recognise(stored: string): Recognition {
    const parsed = parse(stored);
    if (parsed === undefined) return 'foreign';
    if (parsed.cost === this.cost) return 'current';
    return parsed.cost > this.cost ? 'expensive' : 'outdated';
  }

  /**
   * Whether no other password can have the same hash: bcrypt reads 72 bytes, and repeats a shorter password with a NUL
   * between, so that `a` and `a`, NUL, `a` are the same to it; UTF-8 has no bytes for an unpaired surrogate.
   */
  override suits(password: string): boolean {
    return password.isWellFormed() && !password.includes('\0') && Buffer.byteLength(password) <= longestPassword;
  }
}

export const bcrypt = defineAdapter({
  type: 'bcrypt',
  configuration: block({
    cost: withDefault(
      wholeNumber(leastCost, greatestCost),
      10,
      'The work of a new hash: 2 to this power rounds. A hash that is stored keeps its own.',
    ),
  }),
  open: async ({ cost }) => new BcryptHash(cost),
});
