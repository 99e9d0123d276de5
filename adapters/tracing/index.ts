import { randomUUID } from 'node:crypto';
import type { Log } from '../../application/ports/adapter.ts';
import { within } from '../../application/within.ts';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  defaultResource,
  detectResources,
  envDetector,
  JsonExporter,
  ProtobufExporter,
  resourceFromAttributes,
} from './opentelemetry.ts';
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
    .merge(detectResources({ detectors: [envDetector] }));

/**
 * Opens tracing with OpenTelemetry. Where to, how much and in which batches is read by the SDK itself from the
 * environment variables of OpenTelemetry (OTEL_EXPORTER_OTLP_*, OTEL_TRACES_SAMPLER, OTEL_BSP_*). A collector that is
 * away costs spans, and a line in the log.
 */
export const openTracing = (protocol: Protocol, version: string, log: Log): Tracing => {
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: resourceOf(version),
    spanProcessors: [new BatchSpanProcessor(new WatchedExporter(exporter, log))],
  });
  const spans = new Spans(provider.getTracer('latchkey', version));
  return {
    requests: spans,
    messages: spans.around('inside'),
    store: spans.around('outside', 'UserStore'),
    mailer: spans.around('outside', 'Mailer'),
    passwords: spans.around('inside', 'PasswordHash'),
    stop: (patience) =>
      within(patience, provider.shutdown(), () => new Error('the collector is too slow')).catch(() => undefined),
  };
};
