import { randomUUID } from 'node:crypto';
import type { DeliveryStatus } from '../../adapters/delivery/event-relay.ts';
import { changedProperties } from '../../adapters/kit/stored-user.ts';
import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import type { Component } from '../../application/health.ts';
import type { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import { DomainEvents } from '../../application/outgoing/domain-events.ts';
import { MailQueue, mailDestination } from '../../application/outgoing/mail-queue.ts';
import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { defaultMaxAgeMs } from '../configuration/events-block.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';
import type { QueueStatus } from './delivery-status.ts';
import type { Mails } from './mail-texts.ts';
import type { Adapters } from './open-adapters.ts';

/** What use cases store together with their changes. */
export interface StoredEvents {
  readonly events: DomainEvents;
  /** Null unless mails are queued. */
  readonly mailQueue: MailQueue | null;
}

/** The events and mails of a service, and their delivery. */
export interface EventDelivery {
  /** The health of the delivery; empty without one. */
  readonly components: readonly Component[];
  metrics(): Promise<readonly MetricFamily[]>;
  start(): void;
  /** Stops within about `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

const noDelivery: EventDelivery = {
  components: [],
  metrics: async () => [],
  start: () => undefined,
  stop: async () => undefined,
};

/** Why a store without an outbox cannot be used with webhooks or queued mails. */
export const noOutbox = (type: string): string =>
  `the database of type ${type} cannot store events; remove the block, or use another database`;

const noMailOutbox = (type: string, option: string): string =>
  `the database of type ${type} cannot store mails; write ${option}: false, or use another database`;

const noRequestOutbox = (type: string): string =>
  `the database of type ${type} cannot store mails; write deliver: caller, or use another database`;

/** Whether mails are stored before they are sent: those of a recovery and of a new address always are. */
export const queuesMails = ({ verification, recovery }: Configuration): boolean =>
  verification.queue || verification.confirmChange || recovery?.deliver === 'mail';

/** The options of `email` that need an outbox. */
const mailOptions = ['queue', 'confirmChange'] as const;

/** The outbox of the store, which the configuration needs. */
const outboxOf = ({ events }: StorePorts, configuration: Configuration): EventOutbox => {
  if (events !== undefined) return events;
  const { type } = configuration.database;
  const problems = [
    ...(configuration.events === null ? [] : [{ path: 'events', message: noOutbox(type) }]),
    ...mailOptions
      .filter((name) => configuration.verification[name])
      .map((name) => ({ path: `email.${name}`, message: noMailOutbox(type, name) })),
    ...(configuration.recovery?.deliver === 'mail' ? [{ path: 'recovery', message: noRequestOutbox(type) }] : []),
  ];
  throw new ConfigurationError('the configuration', problems);
};

const hasEvents = (configuration: Configuration): boolean =>
  configuration.events !== null || queuesMails(configuration);

/** The events and mails that use cases store. */
export const storedEvents = (
  configuration: Configuration,
  { store, clock }: Pick<Adapters, 'store' | 'clock'>,
): StoredEvents => {
  if (hasEvents(configuration)) outboxOf(store, configuration);
  return {
    events: new DomainEvents(configuration.events?.webhooks ?? [], clock, randomUUID, changedProperties),
    mailQueue: queuesMails(configuration) ? new MailQueue(clock, randomUUID) : null,
  };
};

const openWebhooks = async ({ events }: Configuration): Promise<readonly DeliveryTarget[]> => {
  if (events === null) return [];
  const { WebhookClient } = await import('../../adapters/webhooks/webhook-client.ts');
  return events.webhooks.map((webhook) => new WebhookClient(webhook));
};

const openMailDelivery = async (
  configuration: Configuration,
  { mailer }: Adapters,
  outbox: EventOutbox,
  { texts }: Mails,
  events: DomainEvents,
  signal: DeliverySignal,
  log: Log,
): Promise<readonly DeliveryTarget[]> => {
  const { email, operationTimeoutMs: timeoutMs } = configuration;
  if (email === null || !queuesMails(configuration)) return [];
  const { MailDelivery } = await import('../../application/outgoing/mail-delivery.ts');
  return [
    new MailDelivery({ mailer, mailerType: email.type, texts, outbox: signal.outbox(outbox), events, timeoutMs, log }),
  ];
};

/** Opens the delivery of events, queued mails and requests; nothing is loaded where none are configured. */
export const openEventDelivery = async (
  configuration: Configuration,
  adapters: Adapters,
  mails: Mails,
  events: DomainEvents,
  signal: DeliverySignal,
  requests: readonly DeliveryTarget[],
  log: Log,
): Promise<EventDelivery> => {
  if (!hasEvents(configuration)) return noDelivery;
  const outbox = outboxOf(adapters.store, configuration);
  const [{ EventRelay }, { EventExpiry }, status, families, webhooks] = await Promise.all([
    import('../../adapters/delivery/event-relay.ts'),
    import('../../adapters/delivery/event-expiry.ts'),
    import('./delivery-status.ts'),
    import('../../adapters/observability/delivery-metrics.ts'),
    openWebhooks(configuration),
  ]);
  const mail = await openMailDelivery(configuration, adapters, outbox, mails, events, signal, log);
  const { clock } = adapters;
  const targets = [...webhooks, ...mail, ...requests];
  const relay = new EventRelay(targets, outbox, clock, log);
  signal.listen(() => relay.notify());
  const maxAgeMs = configuration.events?.maxAgeMs ?? defaultMaxAgeMs;
  const expiry = new EventExpiry({ outbox, clock, log, maxAgeMs, targets, expiring: mail });
  const destinations = new Set(targets.map(({ destination }) => destination));
  const isRequest = new Set(requests.map(({ destination }) => destination));
  const isWebhook = new Set(webhooks.map(({ destination }) => destination));
  const withAge = async (state: DeliveryStatus): Promise<QueueStatus> => {
    // Read only where some wait, so that a healthy service makes no more calls of the database.
    const oldest = state.pending === 0 ? undefined : await relay.oldestTime(state.destination);
    return { ...state, oldestAgeMs: oldest === undefined ? 0 : Math.max(0, clock.now() - oldest) };
  };
  const statesOf = async (includes: (destination: string) => boolean) =>
    (await relay.statuses()).filter(({ destination }) => includes(destination));
  const ofWebhooks = () => statesOf((destination) => isWebhook.has(destination));
  const ofMails = async () =>
    Promise.all((await statesOf((destination) => destination === mailDestination)).map(withAge));
  const ofRequests = async () =>
    Promise.all((await statesOf((destination) => isRequest.has(destination))).map(withAge));
  const webhooksLine = async () => status.webhooksLine(await ofWebhooks(), destinations, expiry);
  const mailsLine = async () => (await ofMails()).map((state) => status.mailsLine(state, expiry)).join();
  const requestsLine = async () => (await ofRequests()).map((state) => status.requestsLine(state, expiry)).join();
  return {
    // Neither a webhook nor a mail provider that is down makes the service unhealthy.
    components: [
      ...(configuration.events === null ? [] : [{ name: 'events', check: webhooksLine }]),
      ...(queuesMails(configuration) ? [{ name: 'mails', check: mailsLine }] : []),
      ...(configuration.recovery?.deliver === 'mail' ? [{ name: 'recovery', check: requestsLine }] : []),
    ],
    metrics: async () => {
      const [webhookStates, mailStates, requestStates] = await Promise.all([ofWebhooks(), ofMails(), ofRequests()]);
      const mailFamilies = [
        ...mailStates.flatMap((state) => families.mailMetricFamilies(status.mailMetrics(state, expiry))),
        ...requestStates.flatMap((state) => families.requestMetricFamilies(status.requestMetrics(state, expiry))),
      ];
      if (configuration.events === null) return mailFamilies;
      return [
        ...families.eventMetricFamilies(status.webhookMetrics(webhookStates, destinations, expiry)),
        ...mailFamilies,
      ];
    },
    start: () => {
      relay.start();
      expiry.start();
    },
    stop: async (timeoutMs) => {
      await Promise.all([relay.stop(timeoutMs), expiry.stop()]);
    },
  };
};
