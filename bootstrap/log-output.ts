import { write, writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Log } from '../application/ports/log.ts';

/** The most text that is kept while the output cannot be written. It bounds the memory. */
const maxKeptLength = 1024 * 1024;
const retryDelayMs = 20;
/** How long lines are collected for one write, which costs as much as several lines. */
const collectMs = 5;
/** How long the end of the process may wait for a reader that is slow. */
const exitTimeoutMs = 500;

const isBusy = ({ code }: NodeJS.ErrnoException): boolean => code === 'EAGAIN';

/**
 * Writes log lines to a file descriptor without waiting for them. While it cannot be written, because the disk is full or
 * the reader of a pipe has stalled, it keeps the oldest lines, drops the others, and tries again.
 */
class LogOutput {
  /** The lines that are written next. */
  private kept = '';
  /** The rest of what is being written. */
  private current = Buffer.alloc(0);
  private dropped = 0;
  private state: 'idle' | 'collecting' | 'writing' | 'retrying' | 'closed' = 'idle';

  constructor(private readonly descriptor: number) {}

  write(line: string): void {
    if (this.state === 'closed') return;
    if (this.current.length + this.kept.length + line.length > maxKeptLength) this.dropped++;
    else this.kept += line;
    if (this.state === 'idle') this.collect();
  }

  /** Writes what is kept at the end of the process; gives up if that fails, because nothing else may delay the end. */
  end(): void {
    const deadline = performance.now() + exitTimeoutMs;
    const signal = new Int32Array(new SharedArrayBuffer(4));
    // A write in progress ends before the process does.
    if (this.state === 'writing') this.current = Buffer.alloc(0);
    while (this.state !== 'closed' && this.takeNext()) {
      try {
        this.current = this.current.subarray(writeSync(this.descriptor, this.current));
      } catch (error) {
        if (!(error instanceof Error && isBusy(error)) || performance.now() > deadline) return;
        Atomics.wait(signal, 0, 0, retryDelayMs);
      }
    }
  }

  /** Writes soon what is kept. */
  private collect(): void {
    this.state = 'collecting';
    setTimeout(this.writeNext, collectMs);
  }

  /** Returns whether something is left to be written. */
  private takeNext(): boolean {
    if (this.current.length > 0) return true;
    if (this.kept === '' && this.dropped > 0) {
      const fields = { level: 40, time: new Date().toISOString(), lines: this.dropped };
      this.kept = `${JSON.stringify({ ...fields, msg: 'log lines were lost: the log could not be written' })}\n`;
      this.dropped = 0;
    }
    this.current = Buffer.from(this.kept);
    this.kept = '';
    return this.current.length > 0;
  }

  private readonly writeNext = (): void => {
    this.state = 'idle';
    if (!this.takeNext()) return;
    this.state = 'writing';
    write(this.descriptor, this.current, (error, written) => {
      if (error === null) {
        this.current = this.current.subarray(written);
        if (this.current.length > 0) this.writeNext();
        else this.collect();
      } else if (error.code === 'EPIPE') {
        // The reader of the pipe has ended, and no other follows.
        this.state = 'closed';
        this.kept = '';
      } else {
        this.state = 'retrying';
        setTimeout(this.writeNext, retryDelayMs).unref();
      }
    });
  };
}

const asLog = (logger: Logger): Log => ({
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
});

let output: LogOutput | undefined;

/** Every log of the process shares one output, so that lines keep their order. */
const standardOutput = (): LogOutput => {
  if (output !== undefined) return output;
  const opened = new LogOutput(1);
  process.once('exit', () => opened.end());
  output = opened;
  return opened;
};

/** The time of each line, as a member of its JSON. Many lines have the same one, and formatting takes longer than a line. */
const timestamps = (): (() => string) => {
  let lastMs = 0;
  let last = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) last = `,"time":"${new Date(nowMs).toISOString()}"`;
    lastMs = nowMs;
    return last;
  };
};

/** The log of the service: JSON lines on standard output, or readable lines on a terminal. */
export const openLog = async (level: string): Promise<Log> => {
  const options = { level, base: null, timestamp: timestamps() };
  // Reading `process.stdout` makes a pipe non-blocking: a write to a reader that has stalled fails instead of waiting.
  if (!process.stdout.isTTY) return asLog(pino(options, standardOutput()));
  const { default: pretty } = await import('pino-pretty');
  return asLog(pino(options, pretty({ translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname', sync: true })));
};
