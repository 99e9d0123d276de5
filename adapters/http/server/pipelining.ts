import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What serves a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How many requests of one connection are served at once. */
const mostServed = 4;

/**
 * How many requests may wait on all connections together: some 30 MB of memory. Node.js reads up to 64 KiB at once, and
 * so makes thousands of requests of what one client sends.
 */
export const mostWaiting = 10_000;

/** How many requests wait on all connections of a port. */
export interface WaitingCount {
  value: number;
}

/**
 * The requests of a client that sends the next ones before it has its answers (RFC 9112, section 9.3.2). A few of them
 * are served at once; while others wait, nothing more is read from the connection.
 */
export class Pipeline {
  private served = 0;
  private readonly waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  private whenRead: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly handle: Handler,
    private readonly count: WaitingCount,
  ) {
    // Node.js resumes the input by itself, for instance after each answer.
    socket.on('resume', () => {
      if (this.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      this.count.value -= this.waiting.length;
      this.waiting.length = 0;
    });
  }

  /**
   * Serves a request that came while the answer `previous` to the one before it was owed: at once, or when it is its turn.
   * A client that makes too many wait loses its connection.
   */
  add(request: IncomingMessage, response: ServerResponse, previous: ServerResponse): void {
    // What came in one piece with a request too many is still parsed.
    if (this.socket.destroyed) return;
    // It came alone, and was not counted.
    if (this.served === 0 && this.waiting.length === 0) this.watch(previous);
    if (this.served < mostServed && this.waiting.length === 0) this.serve(request, response);
    else if (this.count.value >= mostWaiting) this.socket.destroy();
    else this.wait(request, response);
  }

  /** Whether nothing is read from the connection, because requests wait for their turn. */
  get isPaused(): boolean {
    return this.waiting.length > 0;
  }

  /** Calls a function when the connection is read again; a later one takes the place of an earlier one. */
  onceRead(call: () => void): void {
    this.whenRead = call;
  }

  private wait(request: IncomingMessage, response: ServerResponse): void {
    this.count.value++;
    this.waiting.push([request, response]);
    this.socket.pause();
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    this.watch(response);
    this.handle(request, response);
  }

  private watch(response: ServerResponse): void {
    this.served++;
    response.once('close', () => {
      this.served--;
      // Other connections come in between.
      if (this.waiting.length > 0) setImmediate(this.serveNext);
    });
  }

  private readonly serveNext = (): void => {
    const next = this.waiting.shift();
    if (next === undefined) return;
    this.count.value--;
    this.serve(...next);
    if (this.waiting.length > 0) return;
    this.socket.resume();
    this.whenRead?.();
    this.whenRead = undefined;
  };
}
