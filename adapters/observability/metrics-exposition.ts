import { Once } from '../concurrency/shared-call.ts';

/** All metrics of one process, as JSON that one process can send to another. */
export type ProcessMetrics = readonly object[];

/** Loaded at the first scrape. From then on the library also measures the process and its event loop. */
const prometheus = new Once(async () => {
  const { default: library } = await import('@prometheus-io/client');
  // A registry of its own: a metric can be registered only once in the one that the library shares.
  const register = new library.Registry();
  library.collectDefaultMetrics({ register });
  return { aggregator: library.AggregatorRegistry, register };
});

const aggregate = async (processes: readonly ProcessMetrics[]) =>
  (await prometheus.get()).aggregator.aggregate(processes.map((metrics) => [...metrics]));

/** The given metrics of this process, with the default metrics of Node.js. */
export const processMetrics = async (families: ProcessMetrics): Promise<ProcessMetrics> => {
  const { register } = await prometheus.get();
  return [...families, ...(await register.getMetricsAsJSON())];
};

const cumulativeTypes: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** The counters and histograms of exited processes, added up. They are kept so that the totals never decrease. */
export const cumulativeMetrics = async (exited: readonly ProcessMetrics[]): Promise<ProcessMetrics> => {
  const metrics: readonly object[] = await (await aggregate(exited)).getMetricsAsJSON();
  return metrics.filter((metric) => 'type' in metric && cumulativeTypes.has(metric.type));
};

/** The media type of the Prometheus text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics of one or more processes in the Prometheus text format. */
export const exposition = async (processes: readonly ProcessMetrics[]): Promise<string> =>
  (await aggregate(processes)).metrics();
