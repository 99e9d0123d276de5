import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../../../application/ports/log.ts';

/** What may be said of a failed delivery: a code of the system or of HTTP. The message may name the address. */
const reasonOf = ({ error }: ExportResult): string => {
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : 'refused or too slow';
};

/** An exporter that says in the log when traces begin to get lost, and when they arrive again. */
export class WatchedExporter implements SpanExporter {
  private failing = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly log: Log,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.note(result);
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private note(result: ExportResult): void {
    const failed = result.code !== ExportResultCode.SUCCESS;
    if (failed && !this.failing) {
      this.log.warn({ reason: reasonOf(result) }, 'traces can not be delivered; requests are served all the same');
    }
    if (!failed && this.failing) this.log.info({}, 'traces are delivered again');
    this.failing = failed;
  }
}
