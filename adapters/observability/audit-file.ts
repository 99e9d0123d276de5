import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import type { Log } from '../../application/ports/log.ts';

/** Further entries are dropped while this much is buffered, because the disk is slow or full. */
const maxBufferBytes = 8 * 1024 * 1024;

const closeTimeoutMs = 1_000;

/**
 * Appends JSON lines to a file. Creates the file, and missing parent folders, for the owner only. Lines are written in the
 * background, so a slow or full disk delays no request. Throws the file system error when the file cannot be opened.
 */
export const openAuditFile = (path: string, log: Log) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Report an error now and not at the first line.
  closeSync(openSync(path, 'a', 0o600));
  const file = pino.destination({ dest: path, append: true, sync: false, maxLength: maxBufferBytes });
  let failing = false;
  const fail = (reason: string): void => {
    // Log once per outage, because a full disk fails every line.
    if (!failing) log.error({ reason }, 'the audit file cannot be written; requests are not affected');
    failing = true;
  };
  file.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'unknown'));
  file.on('drop', () => fail('the buffer is full'));
  file.on('write', () => {
    if (failing) log.info({}, 'the audit file can be written again');
    failing = false;
  });
  return {
    write: (entry: object): void => {
      file.write(`${JSON.stringify(entry)}\n`);
    },
    close: (): Promise<void> =>
      new Promise((resolve) => {
        const timeout = setTimeout(resolve, closeTimeoutMs);
        file.once('close', () => {
          clearTimeout(timeout);
          resolve();
        });
        file.end();
      }),
  };
};
