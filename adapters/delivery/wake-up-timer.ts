/** A sleep that can be ended early. A wake-up without a sleep ends the next one. */
export class WakeUpTimer {
  private woken = false;
  private endSleep: (() => void) | undefined;

  wake(): void {
    this.woken = true;
    this.endSleep?.();
  }

  reset(): void {
    this.woken = false;
  }

  async sleep(durationMs: number): Promise<void> {
    if (this.woken) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timeout);
        this.endSleep = undefined;
        resolve();
      };
      const timeout = setTimeout(end, durationMs);
      this.endSleep = end;
    });
  }
}
