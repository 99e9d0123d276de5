import { Fault } from '../../application/fault.ts';
import type { EmailKey } from '../../domain/email-address.ts';
import { Once } from '../concurrency/shared-call.ts';
import type { AdapterContext } from '../kit/definition.ts';
import { reservedValues } from '../kit/user-json/reserved-record.ts';
import { systemClock } from '../system-clock.ts';

/**
 * The newest format of stored users and events. It is raised when a version that does not know the change would break a
 * promise, for example let a disabled user sign in.
 */
export const currentFormat = 2;

/** The format of databases without names: versions that would drop ids go on to use them. */
export const formatWithoutNames = 1;

/**
 * What is stored of an address that is only reserved: a user with an empty password, as former versions write and
 * understand it.
 */
export const reservedFields = (key: EmailKey, now: number) => ({
  address: key,
  verified: false,
  creationTime: now,
  lastUpdateTime: now,
  ...reservedValues,
});

/** After which time a database with an expiry of its own removes a reservation: its clock may differ from that of a client. */
export const reservationExpiryMs = 60 * 60_000;

/** What happens to events from versions that kept events until they were delivered, for operators. */
export const eventsStartAgain = 'the age of events that wait counts from then';

/** Where operators find what a former version does with the data of this one. */
export const wayBack = 'docs/operations.md#going-back';

/** What a database says about the versions that have written to it. */
export interface FormatMark {
  readonly format: number;
  /** When it was first marked, in milliseconds since the epoch. */
  readonly time: number;
}

/** What a store is opened with that decides about its mark. */
export type MarkContext = Pick<AdapterContext, 'clock' | 'keepsNames' | 'readOnly'>;

interface MarkOptions extends MarkContext {
  /** Where the database is, for operators. */
  readonly place: string;
  /** Reads the mark; undefined without one. */
  read(): Promise<{ readonly format: unknown; readonly time: unknown } | undefined>;
  /** Writes the mark, unless a higher one is there meanwhile. */
  write(mark: FormatMark): Promise<void>;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** Keeps a former version from using a database that a newer one has written to, where the database itself does not. */
export class StoredFormat {
  private mark: FormatMark | undefined;
  private readonly checked = new Once(() => this.checkMark());
  private refusal: Fault | undefined;

  constructor(private readonly options: MarkOptions) {}

  /** Throws the Fault `store_rejected` once `check` has found that a newer version has written to the database. */
  throwIfNewer(): void {
    if (this.refusal !== undefined) throw this.refusal;
  }

  /**
   * Reads the mark once, and writes that of this version if it is missing or lower, unless the database is only read.
   * Rejects with the Fault of `throwIfNewer`, or with an error of `read`; the next call then tries again.
   */
  check(): Promise<void> {
    return this.checked.get();
  }

  /**
   * Whether events from before this time may be removed: former versions kept events forever, so that the age of those
   * that waited counts from the first mark.
   */
  async mayExpire(before: number): Promise<boolean> {
    await this.check();
    return this.mark !== undefined && before > this.mark.time;
  }

  /** What the service will do with a database that was only read; undefined if nothing. */
  describe(): string | undefined {
    const { written } = this;
    if (this.mark !== undefined && this.mark.format >= written) return undefined;
    const line = `the service marks it with the format ${written}`;
    if (this.mark !== undefined) return `${line}, and versions that know a lower one refuse it`;
    // Only 0.1.0 leaves no mark.
    const losses = `0.1.0 ignores the mark, and lets disabled users sign in (${wayBack})`;
    return `${line}; ${losses}; ${eventsStartAgain}`;
  }

  private get written(): number {
    return this.options.keepsNames ? currentFormat : formatWithoutNames;
  }

  private async checkMark(): Promise<void> {
    const { place, readOnly, clock = systemClock, read, write } = this.options;
    const { format, time }: { readonly format?: unknown; readonly time?: unknown } = (await read()) ?? {};
    const stored = isInteger(format) ? format : 0;
    if (stored > currentFormat) {
      const reason = `written by a newer version of Latchkey (format ${stored}, known: ${currentFormat})`;
      this.refusal = new Fault('store_rejected', `${place}: ${reason}`);
      throw this.refusal;
    }
    if (stored > 0) this.mark = { format: stored, time: isInteger(time) ? time : clock.now() };
    if (readOnly || stored >= this.written) return;
    this.mark = { format: this.written, time: this.mark?.time ?? clock.now() };
    // A validator of another program may refuse the mark, which users do not depend on. The next check tries again.
    await write(this.mark).catch(() => this.checked.forget());
  }
}
