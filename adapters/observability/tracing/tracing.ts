import type { Interceptor } from '../../../application/interceptor.ts';
import type { RequestTracer } from '../../kit/request-tracer.ts';

/** Watches a service at work, and sends what it saw to a collector of traces. */
export interface Tracing {
  readonly requests: RequestTracer;
  /** Wrap what is done for a request, each call as a span under the one around it; anything else passes. */
  readonly messages: Interceptor;
  readonly store: Interceptor;
  readonly mailer: Interceptor;
  readonly passwords: Interceptor;
  /** Sends what is left, for at most so many milliseconds. */
  stop(patience: number): Promise<void>;
}
