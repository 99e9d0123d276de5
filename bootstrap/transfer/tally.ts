import { open } from 'node:fs/promises';
import type { FieldError } from '../../domain/failure.ts';

/** Why a line was not imported: a code of problem documents, or `line_too_long`. */
export interface Skip {
  readonly code: string;
  readonly errors?: readonly FieldError[] | undefined;
}

/** How many lines of each kind are named at the end. */
const mostNamed = 10;

/** What is no error: somebody has imported the line already. */
const harmless = 'user_exists';

interface Lines {
  count: number;
  readonly first: number[];
}

/** Keeps account of an import in bounded memory, and writes every line that was skipped into a report, where one is wanted. */
export class Tally {
  imported = 0;
  private readonly skipped = new Map<string, Lines>();

  private constructor(private readonly report: Awaited<ReturnType<typeof open>> | undefined) {}

  /** Begins an account; the file of the report is new, and readable by its owner only. Rejects with the system's error. */
  static async begin(report: string | undefined): Promise<Tally> {
    return new Tally(report === undefined ? undefined : await open(report, 'ax', 0o600));
  }

  /** Notes a line that was skipped. */
  async skip(line: number, { code, errors }: Skip): Promise<void> {
    const lines = this.skipped.get(code) ?? { count: 0, first: [] };
    this.skipped.set(code, lines);
    lines.count++;
    if (lines.first.length < mostNamed) lines.first.push(line);
    await this.report?.appendFile(`${JSON.stringify({ line, code, errors })}\n`);
  }

  /** Whether a line was skipped that should not have been. */
  get hasErrors(): boolean {
    return [...this.skipped.keys()].some((code) => code !== harmless);
  }

  /** The account for a person, a line for each kind. */
  lines(isTrial: boolean): readonly string[] {
    const kinds = [...this.skipped].map(([code, { count, first }]) => {
      const more = count > first.length ? ', …' : '';
      return `${code === harmless ? 'skip' : 'FAIL'}  ${code}: ${count} (line${count === 1 ? '' : 's'} ${first.join(', ')}${more})`;
    });
    return [`ok    ${isTrial ? 'would be imported' : 'imported'}: ${this.imported}`, ...kinds];
  }

  async end(): Promise<void> {
    await this.report?.close();
  }
}
