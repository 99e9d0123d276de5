import type { Interceptor } from '../../application/interceptor.ts';
import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';

/** An algorithm of which every call that may take long is wrapped, under the name of its method. */
export class ObservedPasswordHash extends PasswordHash {
  constructor(
    private readonly algorithm: PasswordHash,
    private readonly around: Interceptor,
  ) {
    super();
  }

  suits(password: string): boolean {
    return this.algorithm.suits(password);
  }

  hash(password: string): Promise<string> {
    return this.around('hash', () => this.algorithm.hash(password));
  }

  verify(stored: string, password: string): Promise<boolean> {
    return this.around('verify', () => this.algorithm.verify(stored, password));
  }

  override recognise(stored: string): Recognition {
    return this.algorithm.recognise?.(stored) ?? 'current';
  }
}
