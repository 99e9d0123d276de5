import { type HashStatus, PasswordHash } from '../../../application/ports/password-hash.ts';

/** A password hash that notes the passwords which another one is asked about. */
export class RecordingHash extends PasswordHash {
  /** The passwords that were checked against a stored form, in order. */
  readonly checked: string[] = [];
  /** The passwords that were hashed, in order. */
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
