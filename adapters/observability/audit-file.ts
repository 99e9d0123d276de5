import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import type { Log } from '../../application/ports/log.ts';
import { createFolder } from '../kit/file-creation.ts';
import { type MetricFamily, metricFamily } from './metric-families.ts';

/** Further entries are dropped while this much is buffered, because the disk is slow or full. */
const maxBufferBytes = 8 * 1024 * 1024;

const closeTimeoutMs = 1_000;

/** For the owner only. */
const mode = 0o600;

/** To append, without waiting for the reader of a pipe, which would stop the whole process: without one this is ENXIO. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** Creates the file for the owner only, unless it exists. Throws the file system error if it cannot be opened. */
export const createFile = (path: string): void => closeSync(openSync(path, flags, mode));

/** Ends the last line of a file that a full disk or a kill has cut off, so that the next one does not become a part of it. */
const endLastLine = (path: string): void => {
  const { size } = statSync(path);
  // A pipe or a device has no size.
  if (size === 0) return;
  try {
    const descriptor = openSync(path, 'a+');
    const last = Buffer.alloc(1);
    try {
      readSync(descriptor, last, 0, 1, size - 1);
      if (last.toString() !== '\n') writeSync(descriptor, '\n');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The disk is still full, or the file may be written and not read.
  }
};

/**
 * Appends JSON lines to a file. Creates the file, and missing parent folders, for the owner only. Lines are written in the
 * background, so a slow or full disk delays no request. Throws the file system error when the file cannot be opened.
 */
export const openAuditFile = (path: string, log: Log) => {
  createFolder(dirname(path));
  // Report an error now and not at the first line.
  createFile(path);
  endLastLine(path);
  const file = pino.destination({ dest: path, append: true, mode, sync: false, maxLength: maxBufferBytes });
  let failing = false;
  let lostLines = 0;
  let closing = false;
  const fail = (reason: string): void => {
    // Log once per outage, because a full disk fails every line.
    if (!failing) log.error({ reason }, 'the audit file cannot be written; requests are not affected');
    failing = true;
  };
  // pino writes the rest at the end of the process, and repeats that for ever while the disk is full.
  const abandon = (): void => {
    if (failing) file.destroy();
  };
  process.prependListener('exit', abandon);
  file.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'unknown'));
  file.on('drop', () => {
    lostLines++;
    fail('the buffer is full');
  });
  /** Goes on in a new file if the former one is not at the path any more. Lines that were not written yet get into the new one. */
  const reopen = (): void => {
    if (closing) return;
    try {
      // If this fails, the former file stays open, so that no line is lost.
      createFile(path);
      file.reopen();
    } catch (error) {
      fail(error instanceof Error && 'code' in error ? String(error.code) : 'unknown');
    }
  };
  const isRemoved = (): boolean => {
    if (closing || !('fd' in file) || typeof file.fd !== 'number') return false;
    try {
      return fstatSync(file.fd).nlink === 0;
    } catch {
      // Such as ESTALE of NFS. Nothing catches an error in a listener, and one that nothing catches ends the process.
      return true;
    }
  };
  file.on('write', () => {
    if (isRemoved()) {
      fail('the file was removed, and its last lines with it');
      return reopen();
    }
    if (failing) log.info({}, 'the audit file can be written again');
    failing = false;
  });
  return {
    write: (entry: object): void => {
      file.write(`${JSON.stringify(entry)}\n`);
    },
    reopen,
    metrics: (): readonly MetricFamily[] => [
      metricFamily(
        'gauge',
        'latchkey_audit_failing',
        'Processes whose last write to the audit file failed; 0 while all lines are written',
        failing ? 1 : 0,
      ),
      metricFamily(
        'counter',
        'latchkey_audit_lines_lost_total',
        'Lines of the audit that were dropped because the file could not be written and the buffer was full',
        lostLines,
      ),
    ],
    close: (): Promise<void> =>
      new Promise((resolve) => {
        closing = true;
        process.off('exit', abandon);
        const timeout = setTimeout(() => {
          file.destroy();
          resolve();
        }, closeTimeoutMs);
        file.once('close', () => {
          clearTimeout(timeout);
          resolve();
        });
        file.end();
      }),
  };
};
