import { lineOf } from '../../adapters/json-lines/user-line.ts';
import type { UserListing } from '../../application/ports/user-listing.ts';
import type { Progress } from './progress.ts';
import { patiently } from './retry.ts';

/** Where the lines of an export go. */
export interface Sink {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Notes from where an export would go on that ends here. */
  mark(next: string, users: number): Promise<void>;
}

/** How many users are asked for at once. */
const limit = 200;

/** What was exported before, if anything. */
export interface Beginning {
  readonly next: string | undefined;
  readonly users: number;
}

/** Writes every user as a line, a page at a time, and resolves with their number. Throws the Fault of the store. */
export const exportUsers = async (
  listing: UserListing,
  sink: Sink,
  progress: Progress,
  beginning: Beginning,
): Promise<number> => {
  let { next: after, users: count } = beginning;
  for (;;) {
    const { users, next } = await patiently(() => listing.list({ limit, after, address: '', verified: undefined }));
    if (users.length > 0) await sink.write(users.map((user) => `${lineOf(user)}\n`).join(''));
    count += users.length;
    progress.at(count, count);
    if (next === undefined) return count;
    await sink.mark(next, count);
    after = next;
  }
};
