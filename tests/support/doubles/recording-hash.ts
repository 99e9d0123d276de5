import { type HashStatus, PasswordHash } from '../../../application/ports/password-hash.ts';

/** Records the passwords that another hash verifies and hashes. */
export class RecordingHash extends PasswordHash {
  /** The verified passwords, in order. */
  readonly checked: string[] = [];
  /** The hashed passwords, in order. */
  readonly hashed: string[] = [];

  constructor(private readonly inner: PasswordHash) {
    super();
  }

  canHash(password: string): boolean {
    return this.inner.canHash(password);
  }

  hash(password: string): Promise<string> {
    this.hashed.push(password);
    return this.inner.hash(password);
  }

  verify(stored: string, password: string): Promise<boolean> {
    this.checked.push(password);
    return this.inner.verify(stored, password);
  }

  inspect(stored: string): HashStatus {
    return this.inner.inspect(stored);
  }
}
