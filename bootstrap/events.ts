import { randomUUID } from 'node:crypto';
import type { Component } from '../adapters/http/admin.ts';
import type { MetricReading } from '../adapters/metrics/instruments.ts';
import type { DeliveryState } from '../adapters/webhooks/index.ts';
import { type Announcements, announcementsTo, noAnnouncements } from '../application/announcements.ts';
import type { Log } from '../application/ports/adapter.ts';
import type { EventQueue } from '../application/ports/event-queue.ts';
import type { UserStore } from '../application/ports/user-store.ts';
import { type Configuration, ConfigurationError } from './configuration/index.ts';
import type { Adapters } from './container.ts';

/** What a service does about events. */
export interface EventDelivery {
  readonly announcements: Announcements;
  /** The line of the health check; none where nothing is delivered. */
  readonly components: readonly Component[];
  readings(): Promise<readonly MetricReading[]>;
  /** Begins to deliver. */
  start(): void;
  /** Ends within about so many milliseconds. */
  stop(milliseconds: number): Promise<void>;
}

/** Without webhooks: nothing is loaded, made or written. */
const nothing: EventDelivery = {
  announcements: noAnnouncements,
  components: [],
  readings: async () => [],
  start: () => undefined,
  stop: async () => undefined,
};

/** Why events can't be had with a store that has no queue for them. */
export const keepsNoEvents = (type: string): string =>
  `the database of type ${type} keeps no events; remove the block, or use a store that does`;

/** The queue of a store; throws a ConfigurationError where it keeps no events. */
const queueOf = (store: UserStore, type: string): EventQueue => {
  const queue = store.events?.();
  if (queue !== undefined) return queue;
  throw new ConfigurationError('the configuration', [{ path: 'events', message: keepsNoEvents(type) }]);
};

/** What a process announces that delivers nothing itself: the others find it in the queue. */
export const announcementsOf = (
  { events, database }: Configuration,
  { store, clock }: Pick<Adapters, 'store' | 'clock'>,
): Announcements => {
  if (events === null) return noAnnouncements;
  queueOf(store, database.type);
  return announcementsTo(events.webhooks, clock, randomUUID, () => undefined);
};

const lineOf = ({ host, pending, trouble }: DeliveryState): string => {
  const waiting = pending === undefined ? '' : `, ${pending} waiting`;
  return `${host}${trouble === undefined ? '' : ` ${trouble}`}${waiting}`;
};

/** Opens what delivers the events of a configuration; it is loaded where there are webhooks only. */
export const openEvents = async (
  { events, database }: Configuration,
  { store, clock }: Adapters,
  log: Log,
): Promise<EventDelivery> => {
  if (events === null) return nothing;
  const queue = queueOf(store, database.type);
  const [{ Relay }, { eventReadings }] = await Promise.all([
    import('../adapters/webhooks/index.ts'),
    import('../adapters/metrics/event-metrics.ts'),
  ]);
  const relay = new Relay(events.webhooks, queue, clock, log);
  return {
    announcements: announcementsTo(events.webhooks, clock, randomUUID, () => relay.nudge()),
    // A receiver that is down is no illness of the service, which loses nothing.
    components: [{ name: 'events', check: async () => (await relay.states()).map(lineOf).join('; ') }],
    readings: async () => eventReadings(await relay.states()),
    start: () => relay.start(),
    stop: (milliseconds) => relay.stop(milliseconds),
  };
};
