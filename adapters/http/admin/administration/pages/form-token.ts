import { createHmac, randomBytes } from 'node:crypto';
import { sameText } from '../../../../../application/constant-time.ts';

/**
 * Proves that a form was made here, for these credentials, this action and this user (OWASP, Cross-Site Request Forgery
 * Prevention: HMAC tokens). A restart makes older forms useless.
 */
export class Proof {
  private readonly key = randomBytes(32);

  of(...about: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.key).update(JSON.stringify(about)).digest('base64url');
  }

  holds(given: string, ...about: readonly (string | undefined)[]): boolean {
    return sameText(this.of(...about), given);
  }
}
