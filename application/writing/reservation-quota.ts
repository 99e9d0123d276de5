import type { EmailKey } from '../../domain/email-address.ts';

/** Waits for a random time of at most `maxMs`, so that competing writers do not collide again. */
export const randomDelay = (maxMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));

/** The maximum of addresses that a process reserves at once. */
const maxReservations = 10_000;

interface Reserved {
  readonly end: NodeJS.Timeout;
  readonly client: string;
}

/** The addresses that this process has reserved, and for which clients. */
export class ReservationQuota {
  private readonly reserved = new Map<EmailKey, Reserved>();
  private readonly counts = new Map<string, number>();

  /**
   * Whether a client may reserve an address. It gets at most as many as are then left for all others, half of them if
   * it is alone, so that no client can take the last ones. It may always renew its own.
   */
  permits(client: string, key: EmailKey): boolean {
    return this.countOf(client) < maxReservations - this.reserved.size || this.clientOf(key) === client;
  }

  /** The client for which an address is reserved; undefined if this process has not reserved it. */
  clientOf(key: EmailKey): string | undefined {
    return this.reserved.get(key)?.client;
  }

  /** Counts a new or renewed reservation for a client until it ends; calls `onEnd` then. */
  hold(key: EmailKey, client: string, durationMs: number, onEnd: () => void): void {
    this.release(key);
    const end = (): void => {
      this.release(key);
      onEnd();
    };
    this.reserved.set(key, { end: setTimeout(end, durationMs).unref(), client });
    this.counts.set(client, this.countOf(client) + 1);
  }

  private release(key: EmailKey): void {
    const reserved = this.reserved.get(key);
    if (reserved === undefined) return;
    clearTimeout(reserved.end);
    this.reserved.delete(key);
    const count = this.countOf(reserved.client) - 1;
    if (count === 0) this.counts.delete(reserved.client);
    else this.counts.set(reserved.client, count);
  }

  private countOf(client: string): number {
    return this.counts.get(client) ?? 0;
  }
}
