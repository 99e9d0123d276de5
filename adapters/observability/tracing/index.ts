import { randomUUID } from 'node:crypto';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { type Interceptor, withTimeout } from '../../../application/interceptor.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { RequestTracer } from '../../../application/ports/request-tracer.ts';
import { batchOptions, samplerOf } from './otel-environment.ts';
import { Spans } from './spans.ts';

/** How long a stop waits for the collector. */
const flushTimeoutMs = 3_000;

/** The OTLP protocols that are supported, both over HTTP. */
export type Protocol = 'http/protobuf' | 'http/json';

/** Traces requests, and within a request its message and the calls of ports. */
export interface Tracing {
  readonly requests: RequestTracer;
  readonly messages: Interceptor;
  readonly store: Interceptor;
  readonly mailer: Interceptor;
  readonly passwords: Interceptor;
  /** Exports the remaining spans and ends, within at most `remainingMs` and three seconds. Never rejects. */
  flush(remainingMs: number): Promise<void>;
}

/** The system or HTTP code of a failed export. The message is left out because it can name the address. */
const failureOf = ({ error }: ExportResult): string => {
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : 'refused or too slow';
};

/** Logs the first failed export of an outage, and the first successful one after it. */
class LoggingExporter implements SpanExporter {
  private failing = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly log: Log,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.logChange(result);
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private logChange(result: ExportResult): void {
    const failed = result.code !== ExportResultCode.SUCCESS;
    if (failed && !this.failing) {
      this.log.warn({ reason: failureOf(result) }, 'traces cannot be exported; requests are not affected');
    }
    if (!failed && this.failing) this.log.info({}, 'traces can be exported again');
    this.failing = failed;
  }
}

/** The resource of all spans. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES extend or override it. */
const resourceOf = (version: string) =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'latchkey',
        'service.version': version,
        // Every process is an instance of its own.
        'service.instance.id': randomUUID(),
      }),
    )
    // OTEL_SERVICE_NAME takes precedence over service.name in OTEL_RESOURCE_ATTRIBUTES (general SDK configuration).
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));

/**
 * Starts tracing with OpenTelemetry. `environment` configures sampling and batching (OTEL_TRACES_SAMPLER, OTEL_BSP_*);
 * the exporters and the resource detectors read OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * from the environment of the process. Spans are dropped, and an outage is logged, while the collector is unreachable.
 */
export const openTracing = (protocol: Protocol, version: string, environment: NodeJS.ProcessEnv, log: Log): Tracing => {
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const processor = new BatchSpanProcessor({
    ...batchOptions(environment, log),
    exporter: new LoggingExporter(exporter, log),
  });
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: samplerOf(environment, log),
    spanProcessors: [processor],
  });
  const spans = new Spans(provider.getTracer('latchkey', version));
  return {
    requests: spans,
    messages: spans.interceptor('internal'),
    store: spans.interceptor('client', 'UserStore'),
    mailer: spans.interceptor('client', 'Mailer'),
    passwords: spans.interceptor('internal', 'PasswordHash'),
    flush: async (remainingMs) => {
      const timeoutMs = Math.min(remainingMs, flushTimeoutMs);
      await withTimeout(timeoutMs, provider.shutdown(), () => new Error('too slow')).catch(() => undefined);
    },
  };
};
