import type { IncomingHttpHeaders } from 'node:http';

/** What a trace may hold of a request: nothing that a caller makes up. */
export interface TracedRequest {
  readonly method: string;
  /** The path of its route; undefined for any other path. */
  readonly route: string | undefined;
  readonly scheme: string;
  /** Only those that carry the trace of the caller (W3C Trace Context) are read. */
  readonly headers: IncomingHttpHeaders;
}

/** Follows requests as parts of traces, which begin here or with the caller. */
export interface RequestTracer {
  /** Runs `next`, which is given the id of the trace and resolves with the status of the answer. */
  follow(request: TracedRequest, next: (trace: string) => Promise<number>): Promise<void>;
}
