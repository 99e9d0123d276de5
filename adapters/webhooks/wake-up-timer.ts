/** Lets somebody wait for a while, or until it rings. A ring that nobody waits for is remembered. */
export class Alarm {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Forgets that it rang: whoever is about to look need not be told to. */
  mute(): void {
    this.rung = false;
  }

  /** Resolves after so many milliseconds, or when it rings, or at once when it has rung. */
  async after(milliseconds: number): Promise<void> {
    if (this.rung) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.wake = end;
    });
  }
}
