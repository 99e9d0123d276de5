import * as t from 'io-ts';

const measured = t.readonly(
  t.type({
    /** Answered requests per second. */
    perSecond: t.number,
    /** The time to an answer, in milliseconds: the median, and what 99 of 100 stay below. */
    p50: t.number,
    p99: t.number,
    /** Processor time of the server per request, in microseconds. */
    cpu: t.number,
  }),
);

/** What one round saw of one contender. */
export type Measured = t.TypeOf<typeof measured>;

const row = t.readonly(
  t.type({
    name: t.string,
    /** The figure that was asked for. */
    limit: t.readonly(
      t.type({
        kind: t.union([t.literal('at least'), t.literal('at most')]),
        value: t.number,
        unit: t.union([t.literal('×'), t.literal('ms'), t.literal('MB')]),
      }),
    ),
    /** What was measured, one figure for each round. */
    values: t.readonlyArray(t.number),
    /** The same ratio of processor times, where there is one. */
    cpu: t.readonlyArray(t.number),
  }),
);

/** A figure that was asked for, and what was measured. */
export type Row = t.TypeOf<typeof row>;

const contenderRuns = t.readonly(t.type({ name: t.string, connections: t.number, runs: t.readonlyArray(measured) }));

/** Every round of one contender. */
export type ContenderRuns = t.TypeOf<typeof contenderRuns>;

const figure = t.readonly(
  t.type({
    name: t.string,
    unit: t.union([t.literal('ms'), t.literal('µs'), t.literal('MB'), t.literal('/s'), t.literal('')]),
    values: t.readonlyArray(t.number),
  }),
);

/** An absolute figure behind a row, one value for each round. */
export type Figure = t.TypeOf<typeof figure>;

const sectionResult = t.readonly(
  t.type({
    contenders: t.readonlyArray(contenderRuns),
    figures: t.readonlyArray(figure),
    rows: t.readonlyArray(row),
    /** What else has to be known about these figures, a sentence each. */
    notes: t.readonlyArray(t.string),
  }),
);

/** What a section measured. */
export type SectionResult = t.TypeOf<typeof sectionResult>;

const conditions = t.readonly(
  t.type({
    cores: t.number,
    node: t.string,
    generator: t.union([t.literal('wrk'), t.literal('autocannon')]),
    pinned: t.boolean,
    quick: t.boolean,
    /** Whether other programs kept the machine busy when the bench began. */
    busy: t.boolean,
    /** The day, as in 2026-01-31. */
    day: t.string,
  }),
);

/** Under which conditions a section was measured. */
export type Conditions = t.TypeOf<typeof conditions>;

/** Results by the name of their section, each with its conditions: what the document is made from. */
export const Results = t.readonly(t.record(t.string, t.readonly(t.type({ conditions, result: sectionResult }))));
export type Results = t.TypeOf<typeof Results>;

/** Whether the median of a row keeps what was asked for. */
export const isMet = ({ limit }: Row, median: number): boolean =>
  limit.kind === 'at least' ? median >= limit.value : median <= limit.value;
