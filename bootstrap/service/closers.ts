import { Fault, reasonOf } from '../../application/fault.ts';
import { withTimeout } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';

/** Closes one part of the service within about `remainingMs`, which is 0 or more. */
type Close = (remainingMs: number) => Promise<unknown>;

const defaultMinimumMs = 1_000;

/**
 * Closes the parts of a service in the reverse order of their opening. A part that fails or takes too long is logged, and
 * does not keep others open.
 */
export class Closers {
  private readonly parts: { readonly name: string; readonly close: Close; readonly minimumMs: number }[] = [];
  private closing: Promise<void> | undefined;

  constructor(private readonly log: Log) {}

  /**
   * Adds a part that was just opened, with its name for operators. Closing it may take `minimumMs` even when no time is left.
   */
  add(name: string, close: Close, minimumMs = defaultMinimumMs): void {
    this.parts.push({ name, close, minimumMs });
  }

  /** Closes every part once, within about `timeoutMs`; a second call waits for the first. Never rejects. */
  close(timeoutMs = 0): Promise<void> {
    this.closing ??= this.closeAll(timeoutMs);
    return this.closing;
  }

  private async closeAll(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (const { name, close, minimumMs } of this.parts.reverse()) {
      const remainingMs = Math.max(0, deadline - performance.now());
      const limitMs = Math.round(Math.max(remainingMs, minimumMs));
      try {
        await withTimeout(
          limitMs,
          close(remainingMs),
          () => new Fault('timed_out', `it took longer than ${limitMs} ms`),
        );
      } catch (error) {
        this.log.warn({ part: name, reason: reasonOf(error) }, 'a part of the service was not closed');
      }
    }
  }
}
