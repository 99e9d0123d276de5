import { sameText } from '../../application/constant-time.ts';
import { type HashStatus, PasswordHash } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';

/** Stores passwords unchanged, for clients that send hashes. */
class SimpleHash extends PasswordHash {
  canHash(password: string): boolean {
    return password.isWellFormed();
  }

  async hash(password: string): Promise<string> {
    if (!this.canHash(password)) throw new RangeError('the password contains an unpaired surrogate');
    return password;
  }

  async verify(stored: string, password: string): Promise<boolean> {
    return stored.isWellFormed() && password.isWellFormed() && sameText(stored, password);
  }

  inspect(): HashStatus {
    return 'current';
  }
}

export const simple = defineAdapter({
  type: 'simple',
  configuration: block({}),
  open: async () => new SimpleHash(),
});
