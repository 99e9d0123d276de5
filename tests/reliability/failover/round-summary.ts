import { isSoakRun } from '../guarantee.ts';
import { type Violation, violationKinds } from './history.ts';

/**
 * The median pause of writes in a planned change, or by how much it may exceed that of the driver alone where the
 * machine is slow. Checked in the long run only.
 */
const maxPlannedPauseMs = 1_500;
const maxAddedPauseMs = 500;

/** How soon a service must write to a new primary. */
const maxRecoveryMs = 5_000;

/** The result of a round. */
export interface Round {
  readonly violations: readonly Violation[];
  /** The number of responses with a status that no request of the workload may get, such as 500. */
  readonly unexpected: number;
  /** The numbers of acknowledged writes, of all requests, and of those that failed. */
  readonly writes: number;
  readonly requests: number;
  readonly failures: number;
  /** The number of responses that came after the timeout of the service. */
  readonly late: number;
  /** The longest pause between two writes that succeeded: of a service, and of the driver alone. */
  readonly pauseMs: number;
  readonly driverPauseMs?: number;
  /** How long after a new primary took writes the first write through each service succeeded, if that is judged. */
  readonly recoveryMs?: number;
}

/**
 * The longest time without a successful write, in milliseconds, after the last success before `from` and until `to`.
 * The successes are times in ascending order.
 */
export const longestPause = (successes: readonly number[], from: number, to: number): number => {
  const first = successes.findLast((time) => time <= from) ?? from;
  const times = [first, ...successes.filter((time) => time > from && time < to), to];
  return Math.max(...times.slice(1).map((time, index) => time - times[index]!));
};

const plural: Readonly<Record<Violation['kind'], string>> = {
  'lost write': 'lost writes',
  'late write': 'late writes',
  'stale read': 'stale reads',
  'old password accepted': 'old passwords accepted',
  'right password refused': 'right passwords refused',
  'user not found': 'users not found',
  'duplicate user': 'duplicate users',
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const medianAndLongest = (durationsMs: readonly number[]): string =>
  `median ${seconds(median(durationsMs))}, longest ${seconds(Math.max(...durationsMs))}`;

/** The figures of all rounds of a fault. Throws an error with them when something was wrong. */
export const summarize = (
  rounds: readonly Round[],
  { isPlanned = false }: { readonly isPlanned?: boolean },
): string => {
  const total = (of: (round: Round) => number): number => rounds.reduce((sum, round) => sum + of(round), 0);
  const countOf = (kind: Violation['kind']) =>
    total(({ violations }) => violations.filter((violation) => violation.kind === kind).length);
  const counts = violationKinds.map((kind) => `${countOf(kind)} ${plural[kind]}`);
  counts.push(`${total(({ unexpected }) => unexpected)} unexpected responses`);
  counts.push(`${total(({ late }) => late)} late responses`);
  const failures = `${total((round) => round.failures)} failed requests`;
  if (isPlanned) counts.push(failures);

  const wrong = counts.filter((count) => !count.startsWith('0 '));
  const pausesMs = rounds.map(({ pauseMs }) => pauseMs);
  const driverPausesMs = rounds.flatMap(({ driverPauseMs = [] }) => driverPauseMs);
  const recoveriesMs = rounds.flatMap(({ recoveryMs = [] }) => recoveryMs);
  if (Math.max(...recoveriesMs) > maxRecoveryMs) wrong.push(`a recovery that took more than ${seconds(maxRecoveryMs)}`);
  const maxPauseMs = Math.max(maxPlannedPauseMs, median(driverPausesMs) + maxAddedPauseMs);
  if (isPlanned && isSoakRun && median(pausesMs) > maxPauseMs)
    wrong.push(`a median pause of more than ${seconds(maxPauseMs)}`);
  const figures = [
    `${rounds.length} times, ${total(({ writes }) => writes)} acknowledged writes in ${total(({ requests }) => requests)} requests`,
    counts.join(', '),
    ...(isPlanned ? [] : [failures]),
    `pause of writes: ${medianAndLongest(pausesMs)}`,
    ...(driverPausesMs.length === 0 ? [] : [`of the driver alone: ${medianAndLongest(driverPausesMs)}`]),
    ...(recoveriesMs.length === 0 ? [] : [`after a primary took writes again: ${medianAndLongest(recoveriesMs)}`]),
  ].join('; ');
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')}; ${figures}`);
  return figures;
};
