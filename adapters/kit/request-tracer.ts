import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that a trace may contain; none of them is a free text of the caller. */
export interface TracedRequest {
  readonly method: string;
  /** The path of its route; undefined for any other path. */
  readonly route: string | undefined;
  readonly scheme: string;
  /** Only those that carry the trace of the caller (W3C Trace Context) are read. */
  readonly headers: IncomingHttpHeaders;
}

/** Records requests in traces, which start here or at the caller. */
export interface RequestTracer {
  /** Runs `next`, which is given the id of the trace and resolves with the status of the answer. */
  follow(request: TracedRequest, next: (trace: string) => Promise<number>): Promise<void>;
}
