import { TokenGenerator } from '../../../application/ports/token-generator.ts';

/** Generates token-1, token-2 and so on. */
export class SequentialTokens extends TokenGenerator {
  private count = 0;

  next(): string {
    return `token-${++this.count}`;
  }
}
