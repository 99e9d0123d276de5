import { createHash, randomBytes } from 'node:crypto';
import { sameText } from '../../application/constant-time.ts';
import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-codecs.ts';
import { requireWellFormed } from './well-formed.ts';

const saltLength = 16;
// 12 random bytes are 16 characters of base64url.
const saltBytes = 12;
const digest = /^[0-9a-f]{64}$/i;

const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex');

/** Stores 16 characters of salt and the hex SHA-256 of salt and password; reads a bare hex SHA-256 of a password too. */
class Sha256Hash extends PasswordHash {
  override suits(password: string): boolean {
    return password.isWellFormed();
  }

  async hash(password: string): Promise<string> {
    requireWellFormed(password);
    const salt = randomBytes(saltBytes).toString('base64url');
    return salt + sha256Of(salt + password);
  }

  async verify(stored: string, password: string): Promise<boolean> {
    if (!this.suits(password)) return false;
    const salt = digest.test(stored) ? '' : stored.slice(0, saltLength);
    const expected = stored.slice(salt.length);
    return digest.test(expected) && sameText(expected.toLowerCase(), sha256Of(salt + password));
  }

  override recognise(stored: string): Recognition {
    // A bare digest has no salt.
    if (digest.test(stored)) return 'outdated';
    return digest.test(stored.slice(saltLength)) ? 'current' : 'foreign';
  }
}

export const sha256 = defineAdapter({
  type: 'sha256',
  configuration: block({}),
  open: async () => new Sha256Hash(),
});
