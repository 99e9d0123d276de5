import native from 'bcrypt';
import { sameText } from '../../application/constant-time.ts';
import { type HashStatus, PasswordHash } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block, withDefault } from '../kit/option-block.ts';
import { wholeNumber } from '../kit/option-codecs.ts';
import { slowHashes } from './slow-hashes.ts';

const maxPasswordBytes = 72;
const minCost = 4;
// 2^15 rounds take two seconds. A client that supplies its own hash must not cause more work than that.
const maxCost = 15;

const pattern = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;

/** A parsed bcrypt hash. `salt` includes version and cost, as the package expects it. */
interface ParsedBcrypt {
  readonly cost: number;
  readonly salt: string;
  readonly digest: string;
}

/** Parses a bcrypt hash; undefined when it is malformed or its cost is out of bounds. */
const parse = (stored: string): ParsedBcrypt | undefined => {
  const [, cost = '', salt, digest] = pattern.exec(stored) ?? [];
  if (salt === undefined || digest === undefined) return undefined;
  if (Number(cost) < minCost || Number(cost) > maxCost) return undefined;
  // For passwords of at most 72 bytes $2a$ and $2y$ equal $2b$. The package does not support $2y$.
  return { cost: Number(cost), salt: `$2b$${cost}$${salt}`, digest };
};

/** Stores bcrypt hashes in the format $2b$; verifies $2a$, $2b$ and $2y$. */
class BcryptHash extends PasswordHash {
  constructor(private readonly cost: number) {
    super();
  }

  /**
   * bcrypt ignores everything after 72 bytes and repeats a shorter password with a NUL in between, so `a` and `a\0a`
   * have the same hash. UTF-8 encodes every unpaired surrogate as the same three bytes.
   */
  canHash(password: string): boolean {
    return password.isWellFormed() && !password.includes('\0') && Buffer.byteLength(password) <= maxPasswordBytes;
  }

  async hash(password: string): Promise<string> {
    if (!this.canHash(password)) throw new RangeError('bcrypt would hash another password to the same value');
    return slowHashes.run(() => native.hash(password, this.cost));
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const parsed = parse(stored);
    if (parsed === undefined || !this.canHash(password)) return false;
    const computed = await slowHashes.run(() => native.hash(password, parsed.salt));
    return sameText(parsed.digest, computed.slice(parsed.salt.length));
  }

  inspect(stored: string): HashStatus {
    const parsed = parse(stored);
    if (parsed === undefined) return 'foreign';
    if (parsed.cost === this.cost) return 'current';
    return parsed.cost > this.cost ? 'expensive' : 'outdated';
  }
}

export const bcrypt = defineAdapter({
  type: 'bcrypt',
  configuration: block({
    cost: withDefault(wholeNumber(minCost, maxCost), 10, 'A new hash takes 2 to this power rounds.'),
  }),
  open: async ({ cost }) => new BcryptHash(cost),
});
