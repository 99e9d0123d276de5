import { Tokens } from '../../../application/ports/tokens.ts';

/** Tokens that a test can foresee: token-1, token-2 and so on. */
export class CountedTokens extends Tokens {
  private count = 0;

  next(): string {
    return `token-${++this.count}`;
  }
}
