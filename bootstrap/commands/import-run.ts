import { type FileHandle, open } from 'node:fs/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Line } from '../../adapters/json-lines/lines.ts';
import { userIn } from '../../adapters/json-lines/user-line.ts';
import type { AdministrationBus } from '../../application/bus.ts';
import type { ImportUserResult } from '../../application/commands/import-user.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { FieldError } from '../../domain/failure.ts';
import { type Progress, retryWhileUnavailable } from './transfer.ts';

export interface ImportOptions {
  /** Whether the file holds passwords to hash, instead of stored forms. */
  readonly hash: boolean;
  /** Whether lines are only checked. */
  readonly dryRun: boolean;
  /** The first line to import. */
  readonly fromLine: number;
}

/** Why a line was not imported: a code of problem documents, or `line_too_long`. */
interface Skip {
  readonly code: string;
  readonly errors?: readonly FieldError[] | undefined;
}

/** How many line numbers the summary names for each code. */
const namedLines = 10;

// Not an error: an import that is repeated finds the users of the first one.
const alreadyStored = 'user_exists';

/** Counts the lines of an import in bounded memory, and writes each skipped line to a report if one is wanted. */
export class ImportSummary {
  imported = 0;
  private readonly skipped = new Map<string, { count: number; readonly first: number[] }>();

  private constructor(private readonly report: FileHandle | undefined) {}

  /** Creates the report as a new file that only its owner can read. Rejects with the error of the file system. */
  static async create(reportPath: string | undefined): Promise<ImportSummary> {
    return new ImportSummary(reportPath === undefined ? undefined : await open(reportPath, 'ax', 0o600));
  }

  async addSkipped(line: number, { code, errors }: Skip): Promise<void> {
    const lines = this.skipped.get(code) ?? { count: 0, first: [] };
    this.skipped.set(code, lines);
    lines.count++;
    if (lines.first.length < namedLines) lines.first.push(line);
    await this.report?.appendFile(`${JSON.stringify({ line, code, errors })}\n`);
  }

  /** Whether a line was skipped because of an error. */
  get hasErrors(): boolean {
    return [...this.skipped.keys()].some((code) => code !== alreadyStored);
  }

  /** The summary as text: the number of imported users, then one line for each code. */
  lines(dryRun: boolean): readonly string[] {
    const skipped = [...this.skipped].map(([code, { count, first }]) => {
      const ellipsis = count > first.length ? ', …' : '';
      const lines = `${count} (line${count === 1 ? '' : 's'} ${first.join(', ')}${ellipsis})`;
      return `${code === alreadyStored ? 'skip' : 'FAIL'}  ${code}: ${lines}`;
    });
    return [`ok    ${dryRun ? 'would be imported' : 'imported'}: ${this.imported}`, ...skipped];
  }

  async close(): Promise<void> {
    await this.report?.close();
  }
}

/** How many lines are imported at once. Inserts wait for the store; hashing is bounded by the processor. */
const batchSize = { stored: 64, hashed: 8 };

/** Imports the lines of a file in order, in batches. */
export class ImportRun {
  private stopping = false;
  /** The last import of each address in the current batch; a later line with the address waits, so that the first wins. */
  private readonly pending = new Map<EmailKey, Promise<ImportUserResult>>();
  /** The first line that is not processed yet. */
  nextLine: number;

  constructor(
    private readonly bus: AdministrationBus,
    private readonly options: ImportOptions,
    private readonly summary: ImportSummary,
    private readonly progress: Progress,
  ) {
    this.nextLine = options.fromLine;
  }

  /** Ends the run after the current batch. */
  stop(): void {
    this.stopping = true;
  }

  /** Resolves with whether every line was processed. Throws the Fault of the store, which may have stored part of a batch. */
  async import(lines: AsyncIterable<Line>): Promise<boolean> {
    const size = this.options.hash ? batchSize.hashed : batchSize.stored;
    let batch: Line[] = [];
    for await (const line of lines) {
      if (line.number < this.options.fromLine) continue;
      batch.push(line);
      if (batch.length < size) continue;
      await this.importBatch(batch);
      if (this.stopping) return false;
      batch = [];
    }
    await this.importBatch(batch);
    return true;
  }

  private async importBatch(batch: readonly Line[]): Promise<void> {
    this.pending.clear();
    const skips = await Promise.all(batch.map((line) => this.importLine(line)));
    for (const [index, { number }] of batch.entries()) {
      const skip = skips[index];
      if (skip === undefined) this.summary.imported++;
      else if (skip !== 'empty') await this.summary.addSkipped(number, skip);
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    this.nextLine = last.number + 1;
    this.progress.update(last.end, this.summary.imported);
  }

  /** Why the line is skipped; undefined when it was imported. */
  private async importLine({ content }: Line): Promise<Skip | 'empty' | undefined> {
    if (content === undefined) return { code: 'line_too_long' };
    if (content.length === 0) return 'empty';
    const read = userIn(content, Date.now());
    if (isLeft(read)) return read.left;
    const { hash, dryRun } = this.options;
    const message = { type: 'ImportUser', user: read.right, hash, dryRun } as const;
    const key = keyOf(read.right.email.address);
    const earlier = this.pending.get(key);
    const importing = (async () => {
      await earlier;
      return retryWhileUnavailable(() => this.bus.dispatch(message));
    })();
    this.pending.set(key, importing);
    const outcome = await importing;
    return isLeft(outcome) ? outcome.left : undefined;
  }
}
