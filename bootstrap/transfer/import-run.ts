import { isLeft } from 'fp-ts/lib/Either.js';
import type { Line } from '../../adapters/json-lines/lines.ts';
import { userIn } from '../../adapters/json-lines/user-line.ts';
import type { ImportUserHandler } from '../../application/commands/import-user.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { Progress } from './progress.ts';
import { patiently } from './retry.ts';
import type { Skip, Tally } from './tally.ts';

/** How lines are imported. */
export interface ImportManner {
  readonly hash: boolean;
  readonly isTrial: boolean;
  /** The first line that counts. */
  readonly fromLine: number;
}

/** How many lines are at work at once: stores are asked together, and hashes have the cores alone. */
const atOnce = { stored: 64, hashed: 8 };

/** Imports the lines of a file in their order, a batch at a time. */
export class ImportRun {
  private stopping = false;
  /** The last line of each address in the batch at hand: the next one of it waits, so that the first is stored. */
  private readonly atWork = new Map<EmailKey, ReturnType<ImportUserHandler['handle']>>();
  /** The first line that is not done. */
  next: number;

  constructor(
    private readonly users: ImportUserHandler,
    private readonly manner: ImportManner,
    private readonly tally: Tally,
    private readonly progress: Progress,
  ) {
    this.next = manner.fromLine;
  }

  /** Ends the run after the batch at hand. */
  stop(): void {
    this.stopping = true;
  }

  /** Resolves with whether every line was looked at; throws the Fault of the store, which has taken part of a batch then. */
  async over(lines: AsyncIterable<Line>): Promise<boolean> {
    const size = this.manner.hash ? atOnce.hashed : atOnce.stored;
    let batch: Line[] = [];
    for await (const line of lines) {
      if (line.number < this.manner.fromLine) continue;
      batch.push(line);
      if (batch.length < size) continue;
      await this.together(batch);
      if (this.stopping) return false;
      batch = [];
    }
    await this.together(batch);
    return true;
  }

  private async together(batch: readonly Line[]): Promise<void> {
    this.atWork.clear();
    const skips = await Promise.all(batch.map((line) => this.one(line)));
    for (const [index, { number }] of batch.entries()) {
      const skip = skips[index];
      if (skip === undefined) this.tally.imported++;
      else if (skip !== 'empty') await this.tally.skip(number, skip);
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    this.next = last.number + 1;
    this.progress.at(last.end, this.tally.imported);
  }

  /** Why a line is skipped; undefined when it is imported. */
  private async one({ content }: Line): Promise<Skip | 'empty' | undefined> {
    if (content === undefined) return { code: 'line_too_long' };
    if (content.length === 0) return 'empty';
    const read = userIn(content, Date.now());
    if (isLeft(read)) return read.left;
    const { hash, isTrial } = this.manner;
    const message = { type: 'ImportUser', user: read.right, hash, dryRun: isTrial } as const;
    const key = keyOf(read.right.email.address);
    const before = this.atWork.get(key);
    const work = async () => {
      await before;
      return patiently(() => this.users.handle(message));
    };
    const working = work();
    this.atWork.set(key, working);
    const outcome = await working;
    return isLeft(outcome) ? outcome.left : undefined;
  }
}
