import type { MetricReading } from './instruments.ts';

/** All metrics of a process, ready to be sent to another one. */
export type Readings = readonly object[];

type Library = typeof import('@prometheus-io/client');

let library: Promise<Library> | undefined;

/** Loads the library at the first scrape; from then on it measures the process and its event loop as well. */
const prometheus = (): Promise<Library> => {
  library ??= import('@prometheus-io/client').then(({ default: loaded }) => {
    loaded.collectDefaultMetrics();
    return loaded;
  });
  return library;
};

const together = async (processes: readonly Readings[]) => {
  const { AggregatorRegistry } = await prometheus();
  return AggregatorRegistry.aggregate(processes.map((readings) => [...readings]));
};

/** What was measured in this process, with the metrics of Node.js that are usual for a service. */
export const readingsOf = async (own: readonly MetricReading[]): Promise<Readings> => {
  const { register } = await prometheus();
  return [...own, ...(await register.getMetricsAsJSON())];
};

const counts: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/**
 * What is left of the metrics of processes that ended, as those of one: what they counted. Without it the counts of the
 * whole would go down, which is read as a new beginning of them all.
 */
export const remainsOf = async (ended: readonly Readings[]): Promise<Readings> => {
  const all: readonly object[] = await (await together(ended)).getMetricsAsJSON();
  return all.filter((metric) => 'type' in metric && counts.has(metric.type));
};

/** The media type of the text format of Prometheus. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics of one or more processes as one text in the format of Prometheus. */
export const exposition = async (processes: readonly Readings[]): Promise<string> =>
  (await together(processes)).metrics();
