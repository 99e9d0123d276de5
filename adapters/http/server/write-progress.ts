import type { Socket } from 'node:net';

/** How often a connection is looked at, in milliseconds. */
export const progressInterval = 5_000;

/** How often in a row nothing may have been taken of what waits: for 30 seconds. */
const mostLooks = 6;

/**
 * Tells whether a client reads what is sent to it, where answers are written in small parts. What the client sends does
 * not count, as it would for `setTimeout`.
 */
export class WriteProgress {
  private unsent = 0;
  private written = 0;
  private looks = 0;

  constructor(private readonly socket: Socket) {}

  /** Whether bytes have waited for 30 seconds and none was taken; to be asked every `progressInterval`. */
  isStalled(): boolean {
    const { writableLength: unsent, bytesWritten: written } = this.socket;
    const isSame = unsent > 0 && unsent === this.unsent && written === this.written;
    this.looks = isSame ? this.looks + 1 : 0;
    this.unsent = unsent;
    this.written = written;
    return this.looks >= mostLooks;
  }
}
