import type { WaitingEvent, WaitingEvents } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { maxTime } from '../../domain/user-limits.ts';

/** The values of an event in a record that another program may have damaged. */
export type EventValues = { readonly [Name in keyof WaitingEvent]: unknown };

const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** Pages show the times of queued mails as dates. */
const isTime = (value: unknown): value is number => isWhole(value) && value >= 0 && value <= maxTime;

/** The most damaged records that one process logs, and the longest name of one. */
const maxReported = 1_000;
const maxNameLength = 254;

/**
 * Decodes the records of events. A damaged one is left out, so that it stops neither deliveries nor lists and cleanups. It
 * is logged once, because the queues meet it with every poll, and stays in the store until it expires.
 */
export class StoredEvents {
  private readonly reported = new Set<string>();

  constructor(private readonly log: Log) {}

  /** The events that can be read. */
  decode(records: readonly EventValues[]): readonly WaitingEvent[] {
    return records.flatMap(({ id, destination, time, body, due, attempts, receipt }) => {
      const isReadable = isText(id) && isText(destination) && isText(body) && isText(receipt);
      if (isReadable && isTime(time) && isTime(due) && isWhole(attempts))
        return [{ id, destination, time, body, due, attempts, receipt }];
      this.report(isText(receipt) ? receipt : String(id), 'a stored event is damaged and is not delivered');
      return [];
    });
  }

  /** A page of at most `limit` records, each found by its receipt. */
  page(records: readonly EventValues[], limit: number): WaitingEvents {
    const last = records.length < limit ? undefined : records.at(-1)?.receipt;
    return { events: this.decode(records), next: isText(last) ? last : undefined };
  }

  /** Logs a record once, with why its event is not delivered. */
  report(name: string, message: string): void {
    const record = name.slice(0, maxNameLength);
    if (this.reported.has(record) || this.reported.size >= maxReported) return;
    this.reported.add(record);
    this.log.warn({ record }, message);
  }
}
