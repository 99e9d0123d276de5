import { createHash, randomBytes } from 'node:crypto';
import { sameText } from '../../application/constant-time.ts';
import { type HashStatus, PasswordHash } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';

const saltLength = 16;
// 12 random bytes are 16 characters of base64url.
const saltBytes = 12;
const digest = /^[0-9a-f]{64}$/i;

const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex');

/** Stores 16 characters of salt and the hex SHA-256 of salt and password. Also verifies the unsalted hex SHA-256. */
class Sha256Hash extends PasswordHash {
  /** UTF-8 encodes every unpaired surrogate as the same three bytes, so passwords with one would share a hash. */
  canHash(password: string): boolean {
    return password.isWellFormed();
  }

  async hash(password: string): Promise<string> {
    if (!this.canHash(password)) throw new RangeError('the password contains an unpaired surrogate');
    const salt = randomBytes(saltBytes).toString('base64url');
    return salt + sha256Of(salt + password);
  }

  async verify(stored: string, password: string): Promise<boolean> {
    if (!this.canHash(password)) return false;
    const salt = digest.test(stored) ? '' : stored.slice(0, saltLength);
    const expected = stored.slice(salt.length);
    return digest.test(expected) && sameText(expected.toLowerCase(), sha256Of(salt + password));
  }

  inspect(stored: string): HashStatus {
    if (digest.test(stored)) return 'outdated';
    return digest.test(stored.slice(saltLength)) ? 'current' : 'foreign';
  }
}

export const sha256 = defineAdapter({
  type: 'sha256',
  configuration: block({}),
  open: async () => new Sha256Hash(),
});
