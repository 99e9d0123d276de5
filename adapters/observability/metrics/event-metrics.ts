import type { MetricReading } from './instruments.ts';

/** What is measured of the delivery to one webhook. */
export interface MeasuredDelivery {
  readonly host: string;
  readonly destination: string;
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number | undefined;
}

/** How many events were removed undelivered; the host is empty where the webhook is no longer configured. */
export interface MeasuredExpiry {
  readonly host: string;
  readonly destination: string;
  readonly expired: number;
}

/** The metrics of events. What waits is in the database: each process counts the same events. */
export const eventReadings = (
  deliveries: readonly MeasuredDelivery[],
  expiries: readonly MeasuredExpiry[],
): readonly MetricReading[] => {
  const valuesOf = (read: (delivery: MeasuredDelivery) => number | undefined): MetricReading['values'] =>
    deliveries.flatMap((delivery) => {
      const { host, destination } = delivery;
      const value = read(delivery);
      return value === undefined ? [] : [{ value, labels: { host, destination } }];
    });
  return [
    {
      name: 'latchkey_events_delivered_total',
      help: 'Events that a webhook took',
      type: 'counter',
      aggregator: 'sum',
      values: valuesOf(({ delivered }) => delivered),
    },
    {
      name: 'latchkey_events_failed_total',
      help: 'Attempts to deliver an event that a webhook did not take',
      type: 'counter',
      aggregator: 'sum',
      values: valuesOf(({ failed }) => failed),
    },
    {
      name: 'latchkey_events_pending',
      help: 'Events that wait for a webhook, counted up to 10,000',
      type: 'gauge',
      aggregator: 'max',
      values: valuesOf(({ pending }) => pending),
    },
    {
      name: 'latchkey_events_expired_total',
      help: 'Events that were removed undelivered because they were too old',
      type: 'counter',
      aggregator: 'sum',
      values: expiries.map(({ host, destination, expired }) => ({ value: expired, labels: { host, destination } })),
    },
  ];
};
