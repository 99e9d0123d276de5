import { withTimeout } from '../../application/interceptor.ts';

/** Closes one part of the service within about `remainingMs`, which is 0 or more. */
type Close = (remainingMs: number) => Promise<unknown>;

const defaultMinimumMs = 1_000;

/** Closes the parts of a service in the reverse order of their opening; a part that fails does not keep others open. */
export class Closers {
  private readonly parts: { readonly close: Close; readonly minimumMs: number }[] = [];
  private closing: Promise<void> | undefined;

  /** Adds a part that was just opened. Closing it may take `minimumMs` even when no time is left. */
  add(close: Close, minimumMs = defaultMinimumMs): void {
    this.parts.push({ close, minimumMs });
  }

  /** Closes every part once, within about `timeoutMs`; a second call waits for the first. Never rejects. */
  close(timeoutMs = 0): Promise<void> {
    this.closing ??= this.closeAll(timeoutMs);
    return this.closing;
  }

  private async closeAll(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (const { close, minimumMs } of this.parts.reverse()) {
      const remainingMs = Math.max(0, deadline - performance.now());
      try {
        await withTimeout(Math.max(remainingMs, minimumMs), close(remainingMs), () => new Error('too slow'));
      } catch {
        // The other parts are closed all the same.
      }
    }
  }
}
