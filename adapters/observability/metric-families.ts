import { type ByLabel, bucketBounds, type Counter, type Durations } from './metrics.ts';

type Labels = Readonly<Record<string, string | number>>;

/** One sample of a metric. `metricName` differs from the name of the family for the series of a histogram. */
export interface Sample {
  readonly value: number;
  readonly labels: Labels;
  readonly metricName?: string;
}

/** A metric with its current samples, as @prometheus-io/client represents it (`getMetricsAsJSON`). */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram' | 'counter' | 'gauge';
  /** How the samples of several processes are combined. */
  readonly aggregator: 'sum' | 'max';
  readonly values: readonly Sample[];
}

export const family = (
  type: MetricFamily['type'],
  name: string,
  help: string,
  values: readonly Sample[],
): MetricFamily => ({
  name,
  help,
  type,
  aggregator: 'sum',
  values,
});

const histogramSamples = ({ counts, sumSeconds }: Durations, name: string, labels: Labels): readonly Sample[] => {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return { value: total, labels: { le: bucketBounds[index] ?? '+Inf', ...labels }, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { value: sumSeconds, labels, metricName: `${name}_sum` },
    { value: total, labels, metricName: `${name}_count` },
  ];
};

interface Labelled<Value> {
  readonly labels: Labels;
  readonly value: Value;
}

export const withoutLabel = <Value>(value: Value): readonly Labelled<Value>[] => [{ labels: {}, value }];

/** Adds the label `name` to the labels that `inner` returns for each value. */
export const labelled = <Outer, Value>(
  name: string,
  { values }: ByLabel<Outer>,
  inner: (outer: Outer) => readonly Labelled<Value>[],
): readonly Labelled<Value>[] =>
  [...values].flatMap(([label, outer]) =>
    inner(outer).map(({ labels, value }) => ({ labels: { [name]: label, ...labels }, value })),
  );

export const counterFamily = (name: string, help: string, counters: readonly Labelled<Counter>[]): MetricFamily =>
  family(
    'counter',
    name,
    help,
    counters.map(({ labels, value }) => ({ labels, value: value.total })),
  );

export const histogramFamily = (name: string, help: string, histograms: readonly Labelled<Durations>[]): MetricFamily =>
  family(
    'histogram',
    name,
    help,
    histograms.flatMap(({ labels, value }) => histogramSamples(value, name, labels)),
  );

/** A metric without labels. */
export const metricFamily = (type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily =>
  family(type, name, help, [{ value, labels: {} }]);

/** A gauge with the same value in every process. The largest value is taken. */
export const commonGauge = (name: string, help: string, values: readonly Sample[]): MetricFamily => ({
  ...family('gauge', name, help, values),
  aggregator: 'max',
});
