import type { Interceptor } from '../../application/interceptor.ts';
import { type HashStatus, PasswordHash } from '../../application/ports/password-hash.ts';

/** An algorithm of which every call that may take long is wrapped, under the name of its method. */
export class ObservedPasswordHash extends PasswordHash {
  constructor(
    private readonly algorithm: PasswordHash,
    private readonly around: Interceptor,
  ) {
    super();
  }

  canHash(password: string): boolean {
    return this.algorithm.canHash(password);
  }

  hash(password: string): Promise<string> {
    return this.around('hash', () => this.algorithm.hash(password));
  }

  verify(stored: string, password: string): Promise<boolean> {
    return this.around('verify', () => this.algorithm.verify(stored, password));
  }

  inspect(stored: string): HashStatus {
    return this.algorithm.inspect(stored);
  }
}
