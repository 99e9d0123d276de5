import { randomUUID } from 'node:crypto';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '../../../application/interceptor.ts';
import type { Log } from '../../../application/ports/log.ts';
import { batchingIn, samplerIn } from './environment.ts';
import { Spans } from './spans.ts';
import type { Tracing } from './tracing.ts';
import { WatchedExporter } from './watched-exporter.ts';

/** How traces are written: OTLP over HTTP. */
export type Protocol = 'http/protobuf' | 'http/json';

/** What the traces are of; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say more, or otherwise. */
const resourceOf = (version: string) =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'latchkey',
        'service.version': version,
        // One for each process that serves.
        'service.instance.id': randomUUID(),
      }),
    )
    // The name of the service overrides the one among the attributes (OpenTelemetry, general SDK configuration).
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));

/**
 * Opens tracing with OpenTelemetry. `environment` says how much is traced and how it is batched (OTEL_TRACES_SAMPLER,
 * OTEL_BSP_*); the exporters and the resource read their own variables (OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES) from the process. A collector that is away costs spans, and a line in the log.
 */
export const openTracing = (protocol: Protocol, version: string, environment: NodeJS.ProcessEnv, log: Log): Tracing => {
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const batches = new BatchSpanProcessor({
    ...batchingIn(environment, log),
    exporter: new WatchedExporter(exporter, log),
  });
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: samplerIn(environment, log),
    spanProcessors: [batches],
  });
  const spans = new Spans(provider.getTracer('latchkey', version));
  return {
    requests: spans,
    messages: spans.around('inside'),
    store: spans.around('outside', 'UserStore'),
    mailer: spans.around('outside', 'Mailer'),
    passwords: spans.around('inside', 'PasswordHash'),
    stop: (patience) =>
      withTimeout(patience, provider.shutdown(), () => new Error('the collector is too slow')).catch(() => undefined),
  };
};
