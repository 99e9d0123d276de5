import type { Around } from '../../application/ports/around.ts';
import type { RequestTracer } from '../http/request-trace.ts';

/** Watches a service at work, and sends what it saw to a collector of traces. */
export interface Tracing {
  readonly requests: RequestTracer;
  /** Wrap what is done for a request, each call as a span under the one around it; anything else passes. */
  readonly messages: Around;
  readonly store: Around;
  readonly mailer: Around;
  readonly passwords: Around;
  /** Sends what is left, for at most so many milliseconds. */
  stop(patience: number): Promise<void>;
}
