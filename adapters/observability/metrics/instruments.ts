/** The value of a metric at one moment, in the form that @prometheus-io/client reads (`getMetricsAsJSON`). */
export interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram' | 'counter' | 'gauge';
  readonly aggregator: 'sum' | 'max';
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

/** Something that is measured: its name and unit, what it means, and what tells its values apart. */
export interface Description {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** The value of some labels, and what follows when there is one label more. */
class Branch<Value> {
  private readonly next = new Map<string, Branch<Value>>();
  value: Value | undefined;

  at(label: string): Branch<Value> {
    const known = this.next.get(label);
    if (known !== undefined) return known;
    const branch = new Branch<Value>();
    this.next.set(label, branch);
    return branch;
  }
}

/** What is measured under some labels. */
interface Measured {
  read(name: string, labels: Labels): MetricReading['values'];
}

/** Values by their labels. A look-up goes from label to label: a text made of all of them would cost ten times as much. */
class Family<Value extends Measured> {
  private readonly root = new Branch<Value>();
  private readonly values: { readonly labels: Labels; readonly value: Value }[] = [];

  constructor(
    private readonly type: MetricReading['type'],
    private readonly description: Description,
    private readonly create: () => Value,
  ) {}

  /** The value with these values of the labels, in their order. */
  of(...labels: readonly string[]): Value {
    let branch = this.root;
    for (const label of labels) branch = branch.at(label);
    branch.value ??= this.added(labels);
    return branch.value;
  }

  read(): MetricReading {
    const { name, help } = this.description;
    const values = this.values.flatMap(({ labels, value }) => value.read(name, labels));
    return { name, help, type: this.type, aggregator: 'sum', values };
  }

  private added(labels: readonly string[]): Value {
    const named = Object.fromEntries(this.description.labels.map((name, index) => [name, labels[index] ?? '']));
    const value = this.create();
    this.values.push({ labels: named, value });
    return value;
  }
}

/** Seconds up to which durations are told apart: from a read of the embedded store to the longest patience. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How often something happened, and how long it took. */
export class Durations implements Measured {
  /** How many fell below each bound and above the one before it; the last ones passed every bound. */
  private readonly counts = new Array<number>(bounds.length + 1).fill(0);
  private sum = 0;

  /** Adds one that took so many seconds. */
  add(seconds: number): void {
    let index = 0;
    while (index < bounds.length && seconds > (bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += seconds;
  }

  read(name: string, labels: Labels): MetricReading['values'] {
    let total = 0;
    const buckets = this.counts.map((count, index) => {
      total += count;
      return { value: total, labels: { le: bounds[index] ?? '+Inf', ...labels }, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { value: this.sum, labels, metricName: `${name}_sum` },
      { value: total, labels, metricName: `${name}_count` },
    ];
  }
}

/** How often something happened. */
export class Count implements Measured {
  private count = 0;

  add(): void {
    this.count++;
  }

  read(_name: string, labels: Labels): MetricReading['values'] {
    return [{ value: this.count, labels }];
  }
}

/** Durations by labels: a histogram. */
export class Histogram extends Family<Durations> {
  constructor(description: Description) {
    super('histogram', description, () => new Durations());
  }
}

/** Counts by labels. */
export class Counter extends Family<Count> {
  constructor(description: Description) {
    super('counter', description, () => new Count());
  }
}

/** A number that somebody else keeps, read when it is asked for. */
export const reading = (
  type: 'counter' | 'gauge',
  { name, help }: Omit<Description, 'labels'>,
  value: number,
): MetricReading => ({ name, help, type, aggregator: 'sum', values: [{ value, labels: {} }] });
