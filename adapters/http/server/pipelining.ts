import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection are served at once. */
const maxConcurrent = 4;

/**
 * How many requests may wait on all connections of a port together, which takes some 30 MB. Node.js reads up to 64 KiB at
 * once, which can hold thousands of requests of one client.
 */
export const maxWaitingRequests = 10_000;

/** How many requests wait on all connections of a port. */
interface WaitingRequests {
  count: number;
}

/**
 * The requests of a client that does not wait for responses (RFC 9112, section 9.3.2). A few of them are served at once.
 * While others wait, nothing more is read from the connection.
 */
export class PipelinedRequests {
  private served = 0;
  private readonly waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  private onResumed: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
    private readonly total: WaitingRequests,
  ) {
    // Node.js resumes the socket itself, for instance after each response.
    socket.on('resume', () => {
      if (this.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      this.total.count -= this.waiting.length;
      this.waiting.length = 0;
    });
  }

  /**
   * Serves a request that arrived while the response `previous` was pending: at once, or in its turn. Destroys the
   * connection when too many requests wait.
   */
  add(request: IncomingMessage, response: ServerResponse, previous: ServerResponse): void {
    // Node.js still parses requests that arrived in one piece with the one that destroyed the connection.
    if (this.socket.destroyed) return;
    // The previous request arrived alone and was not counted.
    if (this.served === 0 && this.waiting.length === 0) this.track(previous);
    if (this.served < maxConcurrent && this.waiting.length === 0) this.serve(request, response);
    else if (this.total.count >= maxWaitingRequests) this.socket.destroy();
    else this.wait(request, response);
  }

  /** Whether nothing is read from the connection, because requests wait for their turn. */
  get isPaused(): boolean {
    return this.waiting.length > 0;
  }

  /** Calls a function once reading from the connection resumes; replaces the function of an earlier call. */
  onceResumed(call: () => void): void {
    this.onResumed = call;
  }

  private wait(request: IncomingMessage, response: ServerResponse): void {
    this.total.count++;
    this.waiting.push([request, response]);
    this.socket.pause();
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    this.track(response);
    this.handle(request, response);
  }

  private track(response: ServerResponse): void {
    this.served++;
    response.once('close', () => {
      this.served--;
      // Yield to the event loop between requests, so that other connections are served.
      if (this.waiting.length > 0) setImmediate(this.serveNext);
    });
  }

  private readonly serveNext = (): void => {
    const next = this.waiting.shift();
    if (next === undefined) return;
    this.total.count--;
    this.serve(...next);
    if (this.waiting.length > 0) return;
    this.socket.resume();
    this.onResumed?.();
    this.onResumed = undefined;
  };
}
