import { sameText } from '../../application/constant-time.ts';
import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-codecs.ts';
import { requireWellFormed } from './well-formed.ts';

/** Stores a password as it is: for clients that hash before they send. */
class SimpleHash extends PasswordHash {
  override suits(password: string): boolean {
    return password.isWellFormed();
  }

  async hash(password: string): Promise<string> {
    requireWellFormed(password);
    return password;
  }

  async verify(stored: string, password: string): Promise<boolean> {
    return stored.isWellFormed() && password.isWellFormed() && sameText(stored, password);
  }

  /** Any text may be a password. */
  override recognise(): Recognition {
    return 'current';
  }
}

export const simple = defineAdapter({
  type: 'simple',
  configuration: block({}),
  open: async () => new SimpleHash(),
});
