import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import type { Log } from '../../application/ports/log.ts';

/** What waits for a disk that takes no more, in bytes; what comes on top is dropped. */
const mostWaiting = 8 * 1024 * 1024;

/** How long a close waits for the disk, in milliseconds. */
const longestFarewell = 1_000;

/**
 * Appends lines of JSON to a file, which is created for its owner only, and its folders with it. The lines are written
 * in the background: a disk that is slow or full keeps no request. Throws the error of the file system when the file
 * can't be opened.
 */
export const openAuditFile = (path: string, log: Log) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Found out now rather than with the first line.
  closeSync(openSync(path, 'a', 0o600));
  const file = pino.destination({ dest: path, append: true, sync: false, maxLength: mostWaiting });
  let failing = false;
  const fail = (reason: string): void => {
    // Once for each trouble: a full disk fails every line.
    if (!failing) log.error({ reason }, 'the audit can not be written; requests are served all the same');
    failing = true;
  };
  file.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'unknown'));
  file.on('drop', () => fail('too much is waiting'));
  file.on('write', () => {
    if (failing) log.info({}, 'the audit is written again');
    failing = false;
  });
  return {
    write: (entry: object): void => {
      file.write(`${JSON.stringify(entry)}\n`);
    },
    close: (): Promise<void> =>
      new Promise((resolve) => {
        const last = setTimeout(resolve, longestFarewell);
        file.once('close', () => {
          clearTimeout(last);
          resolve();
        });
        file.end();
      }),
  };
};
