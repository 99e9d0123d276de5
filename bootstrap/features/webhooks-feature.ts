import { eventMetricFamilies } from '../../adapters/observability/delivery-metrics.ts';
import { WebhookClient } from '../../adapters/webhooks/webhook-client.ts';
import { requiredPort } from '../service/adapters.ts';
import {
  cannotExpire,
  type DeliveryReport,
  expiredSinceStart,
  type QueueStatus,
  waiting,
} from '../service/event-delivery.ts';
import { type Events, noOutbox, noWebhooks } from './events-block.ts';
import type { Feature, FeatureContext } from './feature.ts';

const webhookLine = ({ host, pending, error, expired }: QueueStatus): string =>
  `${host}${error === undefined ? '' : `: ${error}`}${waiting(pending)}${expiredSinceStart(expired)}`;

/** The state of each webhook, and the events that expired before they were delivered. */
const lineOf = (report: DeliveryReport): string => {
  const lines = report.states.map(webhookLine);
  const unconfigured = [...report.unconfigured.values()].reduce((sum, expired) => sum + expired, 0);
  return [
    ...(lines.length === 0 ? [noWebhooks] : lines),
    ...(unconfigured === 0
      ? []
      : [`${unconfigured} for webhooks that are no longer configured expired since the start`]),
    ...cannotExpire(report),
  ].join('; ');
};

/** The block `events`: domain events that are stored with changes, and delivered to webhooks. */
export const open = async (
  { webhooks, maxAgeMs }: Events,
  { configuration, adapters }: FeatureContext,
): Promise<Feature> => {
  requiredPort(adapters.store.events, 'events', noOutbox(configuration.database.type));
  return {
    subscriptions: webhooks,
    deliveries: async () => [
      {
        component: 'events',
        maxAgeMs,
        targets: webhooks.map((webhook) => new WebhookClient(webhook)),
        lineOf,
        metricsOf: ({ states, unconfigured }) =>
          eventMetricFamilies([
            ...states,
            ...[...unconfigured].map(([destination, expired]) => ({ host: '', destination, expired })),
          ]),
      },
    ],
  };
};
