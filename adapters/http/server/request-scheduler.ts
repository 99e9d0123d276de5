import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';

/**
 * How long requests are started in one turn of the event loop; further ones wait for a later turn. If the other work
 * of a turn takes longer while requests wait, requests are started for as long as that work took.
 */
const minTurnMs = 10;
/** How many waiting requests are started in one turn at most. */
const maxStartsPerTurn = 64;
/**
 * Requests wait at most this long while every turn accepts a connection; then each turn starts some, until one accepts
 * none.
 */
const maxAcceptingMs = 100;

/** When a request arrived, for those that waited. */
const arrivals = new WeakMap<IncomingMessage, number>();

/** When a request arrived, by the clock of `performance.now()`; now for one that did not wait. */
export const arrivalOf = (request: IncomingMessage): number => arrivals.get(request) ?? performance.now();

/**
 * Starts requests in the order of their arrival, for a limited time in each turn of the event loop, so that under load
 * timers, probes and new connections do not wait until all requests that arrived together are started.
 *
 * libuv accepts one connection per turn of the event loop. While connections arrive, requests therefore wait, so that
 * turns are short: otherwise a hundred new connections would wait for a hundred turns full of work.
 */
export class RequestScheduler {
  private readonly waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  /** When the first request of this turn was started. */
  private turnStartedMs: number | undefined;
  private turnEndedMs = 0;
  private isAccepting = false;
  private acceptingSinceMs: number | undefined;
  private isEndScheduled = false;

  constructor(
    /** May be replaced. */
    public handle: RequestListener,
  ) {}

  /** Handles a request at once, or in its turn. */
  readonly start: RequestListener = (request, response) => {
    if (this.waiting.length === 0 && !this.isAccepting && !this.isTurnOver()) return this.handle(request, response);
    arrivals.set(request, performance.now());
    this.waiting.push([request, response]);
    this.scheduleEnd();
  };

  /** To be called for each connection that is accepted. */
  readonly onConnection = (): void => {
    this.isAccepting = true;
    this.scheduleEnd();
  };

  private isTurnOver(): boolean {
    const nowMs = performance.now();
    if (this.turnStartedMs === undefined) {
      this.turnStartedMs = nowMs;
      this.scheduleEnd();
    }
    const othersMs = this.waiting.length === 0 ? 0 : this.turnStartedMs - this.turnEndedMs;
    return nowMs - this.turnStartedMs > Math.max(minTurnMs, othersMs);
  }

  private scheduleEnd(): void {
    if (this.isEndScheduled) return;
    this.isEndScheduled = true;
    setImmediate(this.endTurn);
  }

  private readonly endTurn = (): void => {
    const starts = this.startsOfNextTurn();
    this.turnStartedMs = undefined;
    this.isAccepting = false;
    this.isEndScheduled = false;
    // One immediate per request, because Node.js runs the continuations of a request between two immediates.
    for (let count = 0; count < starts; count++) setImmediate(this.startNext);
    if (this.waiting.length === 0 && this.acceptingSinceMs === undefined) return;
    this.turnEndedMs = performance.now();
    this.scheduleEnd();
  };

  private startsOfNextTurn(): number {
    if (!this.isAccepting) this.acceptingSinceMs = undefined;
    else if (this.waiting.length > 0) {
      const nowMs = performance.now();
      this.acceptingSinceMs ??= nowMs;
      if (nowMs - this.acceptingSinceMs < maxAcceptingMs) return 0;
    }
    return Math.min(this.waiting.length, maxStartsPerTurn);
  }

  private readonly startNext = (): void => {
    if (this.isTurnOver()) return;
    let next = this.waiting.shift();
    // A closed connection cannot receive its response.
    while (next?.[0].socket.destroyed === true) next = this.waiting.shift();
    if (next !== undefined) this.handle(...next);
  };
}
