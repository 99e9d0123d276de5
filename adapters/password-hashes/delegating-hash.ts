import { type HashStatus, type HashVerifier, PasswordHash } from '../../application/ports/password-hash.ts';

/**
 * Hashes with the configured algorithm and also verifies the hashes of others (`passwordHash.accept`). Exactly one
 * algorithm verifies a stored hash: the first whose `inspect` does not return `foreign`, with the configured one first.
 */
export class DelegatingHash extends PasswordHash {
  private readonly others: readonly HashVerifier[];

  /** `expensive` lists further algorithms whose hashes all count as `expensive`. */
  constructor(
    private readonly configured: PasswordHash,
    others: readonly HashVerifier[],
    private readonly expensive: readonly HashVerifier[] = [],
  ) {
    super();
    this.others = [...others, ...expensive];
  }

  canHash(password: string): boolean {
    return this.configured.canHash(password);
  }

  hash(password: string): Promise<string> {
    return this.configured.hash(password);
  }

  verify(stored: string, password: string): Promise<boolean> {
    return (this.otherFor(stored) ?? this.configured).verify(stored, password);
  }

  inspect(stored: string): HashStatus {
    const other = this.otherFor(stored);
    if (other === undefined) return this.configured.inspect(stored);
    return this.expensive.includes(other) || other.inspect(stored) === 'expensive' ? 'expensive' : 'outdated';
  }

  /** The other algorithm that verifies a stored hash; undefined when the configured one does. */
  private otherFor(stored: string): HashVerifier | undefined {
    if (this.configured.inspect(stored) !== 'foreign') return undefined;
    return this.others.find((other) => other.inspect(stored) !== 'foreign');
  }
}
