/**
 * A sleep that ends early when it is interrupted. Not by an AbortSignal: its error has a stack, which costs more than the
 * rest of a poll, and under load each delivery interrupts.
 */
export class InterruptibleSleep {
  private isInterrupted = false;
  private end: (() => void) | undefined;

  /** From now on, interruptions count for the next sleep. */
  reset(): void {
    this.isInterrupted = false;
  }

  /** Ends the current sleep, or the next one. */
  interrupt(): void {
    this.isInterrupted = true;
    this.end?.();
  }

  /** Does not sleep if it was interrupted since the last reset. */
  async sleep(durationMs: number): Promise<void> {
    if (this.isInterrupted) return;
    let timeout: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.end = resolve;
      timeout = setTimeout(resolve, durationMs);
    });
    clearTimeout(timeout);
    this.end = undefined;
  }
}
