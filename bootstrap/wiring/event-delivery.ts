import { randomUUID } from 'node:crypto';
import type { EventExpiry } from '../../adapters/delivery/event-expiry.ts';
import type { DeliveryStatus } from '../../adapters/delivery/event-relay.ts';
import { changedProperties } from '../../adapters/kit/stored-user.ts';
import type { MetricFamily, WebhookMetrics } from '../../adapters/observability/metric-families.ts';
import type { Component } from '../../application/health.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { DomainEvents } from '../../application/users/domain-events.ts';
import type { Events } from '../configuration/events-block.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';
import type { Adapters } from './open-adapters.ts';

/** The domain events of a service, and their delivery to webhooks. */
export interface EventDelivery {
  /** Null without webhooks. */
  readonly events: DomainEvents | null;
  /** The health of the delivery; empty without webhooks. */
  readonly components: readonly Component[];
  metrics(): Promise<readonly MetricFamily[]>;
  /** Begins to deliver. */
  start(): void;
  /** Stops within about `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

const noDelivery: EventDelivery = {
  events: null,
  components: [],
  metrics: async () => [],
  start: () => undefined,
  stop: async () => undefined,
};

/** The health line for an empty list of webhooks. */
export const noWebhooks = 'no webhook is configured';

/** Why a store without an outbox cannot be used with webhooks. */
export const noOutbox = (type: string): string =>
  `the database of type ${type} cannot store events; remove the block, or use another database`;

const outboxOf = ({ events }: StorePorts, type: string): EventOutbox => {
  if (events !== undefined) return events;
  throw new ConfigurationError('the configuration', [{ path: 'events', message: noOutbox(type) }]);
};

/** The domain events of a process that only stores them; the processes of the service deliver them. */
export const storedEvents = (
  { events, database }: Configuration,
  { store, clock }: Pick<Adapters, 'store' | 'clock'>,
): DomainEvents | null => {
  if (events === null) return null;
  outboxOf(store, database.type);
  return new DomainEvents(events.webhooks, clock, randomUUID, changedProperties, () => undefined);
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

const webhookLine = ({ host, pending, error }: DeliveryStatus, expired: number): string => {
  const waiting = pending === undefined ? '' : `, ${pending} waiting`;
  const expiredText = expired === 0 ? '' : `, ${expired} expired since the start`;
  return `${host}${error === undefined ? '' : `: ${error}`}${waiting}${expiredText}`;
};

/** The health line: the state of each webhook, and the events that expired before they were delivered. */
const healthLine = (states: readonly DeliveryStatus[], hosts: Hosts, expiry: EventExpiry): string => {
  const lines = states.map((state) => webhookLine(state, expiry.expired.get(state.destination) ?? 0));
  const others = [...expiry.expired].filter(([destination]) => !hosts.has(destination));
  const expiredOthers = others.reduce((sum, [, expired]) => sum + expired, 0);
  return [
    ...(lines.length === 0 ? [noWebhooks] : lines),
    ...(expiredOthers === 0
      ? []
      : [`${expiredOthers} for webhooks that are no longer configured expired since the start`]),
    ...(expiry.error === undefined ? [] : [`expired events cannot be deleted: ${expiry.error}`]),
  ].join('; ');
};

/** Opens the delivery of events; without the block `events` nothing is loaded. */
export const openEventDelivery = async (
  { events, database }: Configuration,
  { store, clock }: Adapters,
  log: Log,
): Promise<EventDelivery> => {
  if (events === null) return noDelivery;
  const outbox = outboxOf(store, database.type);
  const [{ EventRelay }, { EventExpiry }, { WebhookClient }, { eventMetricFamilies }] = await Promise.all([
    import('../../adapters/delivery/event-relay.ts'),
    import('../../adapters/delivery/event-expiry.ts'),
    import('../../adapters/webhooks/webhook-client.ts'),
    import('../../adapters/observability/metric-families.ts'),
  ]);
  const hosts = hostsOf(events);
  const relay = new EventRelay(
    events.webhooks.map((webhook) => new WebhookClient(webhook)),
    outbox,
    clock,
    log,
  );
  const expiry = new EventExpiry({
    outbox,
    clock,
    log,
    maxAgeMs: events.maxAgeMs,
    hostOf: (destination) => hosts.get(destination),
  });
  return {
    events: new DomainEvents(events.webhooks, clock, randomUUID, changedProperties, () => relay.notify()),
    // A webhook that is down does not make the service unhealthy.
    components: [{ name: 'events', check: async () => healthLine(await relay.statuses(), hosts, expiry) }],
    metrics: async () => eventMetricFamilies(webhookMetrics(await relay.statuses(), hosts, expiry)),
    start: () => {
      relay.start();
      expiry.start();
    },
    stop: async (timeoutMs) => {
      await Promise.all([relay.stop(timeoutMs), expiry.stop()]);
    },
  };
};
