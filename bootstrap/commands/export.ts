import type { UserListing } from '../../application/ports/user-listing.ts';
import type { ChosenFile } from '../configuration/chosen-file.ts';
import { ExportFile } from '../transfer/export-file.ts';
import { type Beginning, exportUsers, type Sink } from '../transfer/export-run.ts';
import { openTransfer } from '../transfer/opening.ts';
import { showProgress } from '../transfer/progress.ts';
import { aboutFile, UnusableFile } from '../transfer/unusable-file.ts';
import { exitStatus } from './exit-status.ts';
import { reportFailure } from './report.ts';

/** How an export is asked for. */
export interface ExportOptions {
  /** The file that it writes; undefined writes to standard output. */
  readonly output: string | undefined;
  /** Whether to go on with a file that is not finished. */
  readonly resume: boolean;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const standardOutput: Sink = {
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) =>
        error ? reject(new UnusableFile('standard output was closed')) : resolve(),
      );
    }),
  mark: async () => undefined,
};

const run = async (listing: UserListing, sink: Sink, beginning: Beginning): Promise<number> => {
  const progress = await showProgress('exported', null);
  try {
    return await exportUsers(listing, sink, progress, beginning);
  } finally {
    progress.end();
  }
};

const intoFile = async (listing: UserListing, output: string, resume: boolean): Promise<number> => {
  const { file, position } = resume
    ? await ExportFile.resume(output)
    : { file: await ExportFile.create(output), position: { next: undefined, users: 0 } };
  try {
    const users = await run(listing, file, position);
    await file.finish();
    return users;
  } catch (error) {
    say(`latchkey: ${output} is not complete; latchkey export --output ${output} --resume goes on with it`);
    throw error;
  } finally {
    await file.close();
  }
};

const intoStandardOutput = async (listing: UserListing): Promise<number> => {
  // The callback of a write tells the same.
  process.stdout.on('error', () => undefined);
  return run(listing, standardOutput, { next: undefined, users: 0 });
};

/** Writes every user as a line of JSON, while the service runs or not, and resolves with the exit status. */
export const exportTo = async (file: ChosenFile, { output, resume }: ExportOptions): Promise<number> => {
  try {
    const { store } = await openTransfer(file);
    try {
      const { listing } = store;
      if (listing === undefined) throw new UnusableFile('the configured database has no way to list its users');
      const users = output === undefined ? await intoStandardOutput(listing) : await intoFile(listing, output, resume);
      say(`ok    ${output ?? 'standard output'}: users: ${users}`);
      return exitStatus.done;
    } finally {
      await store.users.close();
    }
  } catch (error) {
    return reportFailure(aboutFile(error));
  }
};
