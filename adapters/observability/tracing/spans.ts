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
import { errorCodeOf } from '../../../application/fault.ts';
import type { Interceptor } from '../../../application/interceptor.ts';
import { RequestTracer, type TracedRequest } from '../../../application/ports/request-tracer.ts';
import { failureCodeOf } from '../metrics.ts';

type RequestHeaders = TracedRequest['headers'];

const headerGetter: TextMapGetter<RequestHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  },
};

/** Other methods are reported as `_OTHER` (OpenTelemetry, semantic conventions for HTTP). */
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
  // A path that is not a route can contain any value.
  ...(route !== undefined && { 'http.route': route, 'url.path': route }),
});

/**
 * Creates the spans of a service. They contain names, kinds and statuses only: no path except those of routes, no query,
 * no header, no error message.
 */
export class Spans extends RequestTracer {
  private readonly contexts = new AsyncLocalStorage<Context>();
  private readonly propagator = new W3CTraceContextPropagator();

  constructor(private readonly tracer: Tracer) {
    super();
  }

  /** Runs a request in a span whose parent is the span of the client (W3C Trace Context). `next` returns the status. */
  async traceRequest(request: TracedRequest, next: (traceId: string) => Promise<number>): Promise<void> {
    const method = knownMethods.has(request.method) ? request.method : '_OTHER';
    const name = method === '_OTHER' ? 'HTTP' : method;
    const parent = this.propagator.extract(ROOT_CONTEXT, request.headers, headerGetter);
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
   * Runs each call in a span named `<target> <operation>`. Outside of a request it creates no span, so that health checks
   * do not fill the collector with traces.
   */
  interceptor(kind: 'internal' | 'client', target?: string): Interceptor {
    const spanKind = kind === 'internal' ? SpanKind.INTERNAL : SpanKind.CLIENT;
    return async (operation, next) => {
      const parent = this.contexts.getStore();
      if (parent === undefined) return next();
      const name = target === undefined ? operation : `${target} ${operation}`;
      const span = this.tracer.startSpan(name, { kind: spanKind }, parent);
      try {
        const result = await this.contexts.run(trace.setSpan(parent, span), next);
        const failureCode = failureCodeOf(result);
        if (failureCode !== undefined) span.setAttribute('latchkey.refused', failureCode);
        return result;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorCodeOf(error));
        throw error;
      } finally {
        span.end();
      }
    };
  }
}
