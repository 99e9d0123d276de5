import { PasswordHash, type Recognition } from '../../application/ports/password-hash.ts';

/**
 * The configured algorithm, which alone makes new forms, and others whose forms are checked as well. A form is checked by
 * one algorithm only: by the configured one where that says that the form is its own, else by the first of the others
 * that says so, else by the configured one.
 */
export class AcceptingHash extends PasswordHash {
  private readonly others: readonly PasswordHash[];

  constructor(
    private readonly configured: PasswordHash,
    others: readonly PasswordHash[],
    /** Further others: those whose checks always cost more than a new hash of the configured one. */
    private readonly expensive: readonly PasswordHash[] = [],
  ) {
    super();
    this.others = [...others, ...expensive];
  }

  suits(password: string): boolean {
    return this.configured.suits(password);
  }

  hash(password: string): Promise<string> {
    return this.configured.hash(password);
  }

  verify(stored: string, password: string): Promise<boolean> {
    return (this.otherOf(stored) ?? this.configured).verify(stored, password);
  }

  override recognise(stored: string): Recognition {
    const other = this.otherOf(stored);
    if (other === undefined) return this.configured.recognise?.(stored) ?? 'current';
    const isExpensive = this.expensive.includes(other) || other.recognise?.(stored) === 'expensive';
    return isExpensive ? 'expensive' : 'outdated';
  }

  /** The accepted algorithm whose form this is; undefined where the configured one has to judge it. */
  private otherOf(stored: string): PasswordHash | undefined {
    const own = this.configured.recognise?.(stored) ?? 'foreign';
    if (own !== 'foreign') return undefined;
    return this.others.find((other) => (other.recognise?.(stored) ?? 'foreign') !== 'foreign');
  }
}
