// Everything that is used of OpenTelemetry, in one place: the build puts it into this file's compiled form, with only
// the parts that are reached from here. Installed as packages they would take more room than the database drivers.
export {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
export { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
export { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
export { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
export { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
export {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
