import { randomUUID } from 'node:crypto';
import type { MetricFamily, WebhookMetrics } from '../../adapters/observability/metric-families.ts';
import type { EventExpiry } from '../../adapters/webhooks/event-expiry.ts';
import type { DeliveryStatus } from '../../adapters/webhooks/event-relay.ts';
import type { Component } from '../../application/health.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { DomainEvents } from '../../application/users/domain-events.ts';
import type { Events } from '../configuration/events.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';
import type { Adapters } from '../container.ts';

/** What a service does about events. */
export interface EventDelivery {
  /** Null if no webhook is configured. */
  readonly domainEvents: DomainEvents | null;
  /** The line of the health check; none where nothing is delivered. */
  readonly components: readonly Component[];
  readings(): Promise<readonly MetricFamily[]>;
  /** Begins to deliver. */
  start(): void;
  /** Ends within about so many milliseconds. */
  stop(milliseconds: number): Promise<void>;
}

/** Without webhooks: nothing is loaded, made or written. */
const nothing: EventDelivery = {
  domainEvents: null,
  components: [],
  readings: async () => [],
  start: () => undefined,
  stop: async () => undefined,
};

/** What is said of the delivery where the list of webhooks is empty. */
export const noWebhook = 'no webhook is configured';

/** Why events can't be had with a store that has no queue for them. */
export const keepsNoEvents = (type: string): string =>
  `the database of type ${type} keeps no events; remove the block, or use a store that does`;

/** The queue of a store; throws a ConfigurationError where it keeps no events. */
const queueOf = ({ events }: StorePorts, type: string): EventOutbox => {
  if (events !== undefined) return events;
  throw new ConfigurationError('the configuration', [{ path: 'events', message: keepsNoEvents(type) }]);
};

/** The domain events of a process that stores them for the delivery by other processes. */
export const domainEventsOf = (
  { events, database }: Configuration,
  { store, clock }: Pick<Adapters, 'store' | 'clock'>,
): DomainEvents | null => {
  if (events === null) return null;
  queueOf(store, database.type);
  return new DomainEvents(events.webhooks, clock, randomUUID, () => undefined);
};

/** The host of each configured webhook, by its destination. */
type Hosts = ReadonlyMap<string, string>;

const hostsOf = ({ webhooks }: Events): Hosts =>
  new Map(webhooks.map(({ destination, url }) => [destination, new URL(url).host]));

const webhookMetrics = (
  states: readonly DeliveryStatus[],
  hosts: Hosts,
  { expired }: EventExpiry,
): readonly WebhookMetrics[] => [
  ...states.map((state) => ({ ...state, expired: expired.get(state.destination) ?? 0 })),
  ...[...expired]
    .filter(([destination]) => !hosts.has(destination))
    .map(([destination, count]) => ({ host: '', destination, expired: count })),
];

const lineOf = ({ host, pending, error }: DeliveryStatus, expired: number): string => {
  const waiting = pending === undefined ? '' : `, ${pending} waiting`;
  const lost = expired === 0 ? '' : `, ${expired} expired since the start`;
  return `${host}${error === undefined ? '' : `: ${error}`}${waiting}${lost}`;
};

/** The line of the health check: how it goes with each webhook, and what became of events that were too old. */
const healthLine = (states: readonly DeliveryStatus[], hosts: Hosts, expiry: EventExpiry): string => {
  const lines = states.map((state) => lineOf(state, expiry.expired.get(state.destination) ?? 0));
  const others = [...expiry.expired].filter(([destination]) => !hosts.has(destination));
  const lost = others.reduce((sum, [, expired]) => sum + expired, 0);
  return [
    ...(lines.length === 0 ? [noWebhook] : lines),
    ...(lost === 0 ? [] : [`${lost} for webhooks that are no longer configured expired since the start`]),
    ...(expiry.error === undefined ? [] : [`expired events cannot be deleted: ${expiry.error}`]),
  ].join('; ');
};

/** Opens what delivers the events of a configuration; it is loaded where there is the block only. */
export const openEvents = async (
  { events, database }: Configuration,
  { store, clock }: Adapters,
  log: Log,
): Promise<EventDelivery> => {
  if (events === null) return nothing;
  const queue = queueOf(store, database.type);
  const [{ EventRelay }, { EventExpiry }, { eventMetricFamilies }] = await Promise.all([
    import('../../adapters/webhooks/event-relay.ts'),
    import('../../adapters/webhooks/event-expiry.ts'),
    import('../../adapters/observability/metric-families.ts'),
  ]);
  const hosts = hostsOf(events);
  const relay = new EventRelay(events.webhooks, queue, clock, log);
  const expiry = new EventExpiry({
    outbox: queue,
    clock,
    log,
    maxAgeMs: events.maxAge,
    hostOf: (destination) => hosts.get(destination),
  });
  return {
    domainEvents: new DomainEvents(events.webhooks, clock, randomUUID, () => relay.notify()),
    // A receiver that is down is no illness of the service.
    components: [{ name: 'events', check: async () => healthLine(await relay.statuses(), hosts, expiry) }],
    readings: async () => eventMetricFamilies(webhookMetrics(await relay.statuses(), hosts, expiry)),
    start: () => {
      relay.start();
      expiry.start();
    },
    stop: async (milliseconds) => {
      await Promise.all([relay.stop(milliseconds), expiry.stop()]);
    },
  };
};
