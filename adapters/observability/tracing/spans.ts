import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Interceptor } from '../../../application/interceptor.ts';
import type { RequestTracer, TracedRequest } from '../../kit/request-tracer.ts';
import { kindOf, refusedWith } from '../outcome.ts';

type Headers = TracedRequest['headers'];

const headersOfTrace: TextMapGetter<Headers> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  },
};

/** The methods that go by their own name (OpenTelemetry, semantic conventions for HTTP); any other is the caller's invention. */
const knownMethods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

const attributesOf = ({ route, scheme }: TracedRequest, method: string): Attributes => ({
  'http.request.method': method,
  'url.scheme': scheme,
  // Any other path may hold whatever a caller wrote into it.
  ...(route !== undefined && { 'http.route': route, 'url.path': route }),
});

/**
 * Makes the spans of a service. They hold names, kinds and statuses only: no path beside those of routes, no query, no
 * header, no message of an error.
 */
export class Spans implements RequestTracer {
  private readonly contexts = new AsyncLocalStorage<Context>();
  private readonly propagator = new W3CTraceContextPropagator();

  constructor(private readonly tracer: Tracer) {}

  /** The span of a request, under that of the caller. */
  async follow(request: TracedRequest, next: (trace: string) => Promise<number>): Promise<void> {
    const method = knownMethods.has(request.method) ? request.method : '_OTHER';
    const name = method === '_OTHER' ? 'HTTP' : method;
    const parent = this.propagator.extract(ROOT_CONTEXT, request.headers, headersOfTrace);
    const span = this.tracer.startSpan(
      request.route === undefined ? name : `${name} ${request.route}`,
      { kind: SpanKind.SERVER, attributes: attributesOf(request, method) },
      parent,
    );
    try {
      const status = await this.contexts.run(trace.setSpan(parent, span), next, span.spanContext().traceId);
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(status));
    } finally {
      span.end();
    }
  }

  /**
   * Wraps calls of one kind, each in a span named by the call, or by what is called and the call. Outside of a request
   * it does nothing: whoever asks how the service is must not fill a collector with traces.
   */
  around(kind: 'inside' | 'outside', called?: string): Interceptor {
    return async (operation, next) => {
      const parent = this.contexts.getStore();
      if (parent === undefined) return next();
      const span = this.tracer.startSpan(
        called === undefined ? operation : `${called} ${operation}`,
        { kind: kind === 'inside' ? SpanKind.INTERNAL : SpanKind.CLIENT },
        parent,
      );
      try {
        const result = await this.contexts.run(trace.setSpan(parent, span), next);
        const refused = refusedWith(result);
        if (refused !== undefined) span.setAttribute('latchkey.refused', refused);
        return result;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', kindOf(error));
        throw error;
      } finally {
        span.end();
      }
    };
  }
}
