import * as t from 'io-ts';

const measured = t.readonly(
  t.type({
    /** Responses per second. */
    perSecond: t.number,
    /** Latency in milliseconds: median and 99th percentile. */
    p50: t.number,
    p99: t.number,
    /** CPU time of the server per request, in microseconds. */
    cpu: t.number,
  }),
);

/** The result of one server in one round. */
export type Measured = t.TypeOf<typeof measured>;

const row = t.readonly(
  t.type({
    name: t.string,
    /** The target. */
    limit: t.readonly(
      t.type({
        kind: t.union([t.literal('at least'), t.literal('at most')]),
        value: t.number,
        unit: t.union([t.literal('×'), t.literal('ms'), t.literal('MB')]),
      }),
    ),
    /** Measured values, one for each round. */
    values: t.readonlyArray(t.number),
    /** The same ratio of CPU times, if applicable. */
    cpu: t.readonlyArray(t.number),
  }),
);

/** A target and the measured values. */
export type Row = t.TypeOf<typeof row>;

const contenderRuns = t.readonly(t.type({ name: t.string, connections: t.number, runs: t.readonlyArray(measured) }));

/** All rounds of one server. */
export type ContenderRuns = t.TypeOf<typeof contenderRuns>;

const figure = t.readonly(
  t.type({
    name: t.string,
    unit: t.union([
      t.literal('ms'),
      t.literal('µs'),
      t.literal('MB'),
      t.literal('B'),
      t.literal('s'),
      t.literal('/s'),
      t.literal(''),
    ]),
    values: t.readonlyArray(t.number),
  }),
);

/** An absolute figure, one value for each round. */
export type Figure = t.TypeOf<typeof figure>;

const sectionResult = t.readonly(
  t.type({
    contenders: t.readonlyArray(contenderRuns),
    figures: t.readonlyArray(figure),
    rows: t.readonlyArray(row),
    /** Remarks for the reader of the figures. */
    notes: t.readonlyArray(t.string),
  }),
);

/** The result of a section. */
export type SectionResult = t.TypeOf<typeof sectionResult>;

const conditions = t.readonly(
  t.type({
    cores: t.number,
    node: t.string,
    generator: t.union([t.literal('wrk'), t.literal('autocannon')]),
    pinned: t.boolean,
    quick: t.boolean,
    /** Whether other programs used the CPU. Only results of former versions were saved then. */
    busy: t.boolean,
    /** The date, such as 2026-01-31. */
    day: t.string,
  }),
);

/** The conditions of a measurement. */
export type Conditions = t.TypeOf<typeof conditions>;

/** Results by section, with their conditions; the source of docs/performance.md. */
export const Results = t.readonly(t.record(t.string, t.readonly(t.type({ conditions, result: sectionResult }))));
export type Results = t.TypeOf<typeof Results>;

/** Whether the median of a row meets its target. */
export const isMet = ({ limit }: Row, median: number): boolean =>
  limit.kind === 'at least' ? median >= limit.value : median <= limit.value;
