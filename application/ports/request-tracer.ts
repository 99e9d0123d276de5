/** The parts of a request that a trace may contain; none of them is a free text of the caller. */
export interface TracedRequest {
  readonly method: string;
  /** The path of its route; undefined for any other path. */
  readonly route: string | undefined;
  readonly scheme: string;
  /** Only those that carry the trace of the caller (W3C Trace Context) are read. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Records requests as spans, in the trace of the caller or in a new one. */
export abstract class RequestTracer {
  /** Runs `next` in a span. `next` gets the trace id and resolves with the status of the response. */
  abstract traceRequest(request: TracedRequest, next: (traceId: string) => Promise<number>): Promise<void>;
}
