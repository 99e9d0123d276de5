/** The shortest and the longest pause before an event is tried again, in milliseconds. */
export const shortestPause = 5_000;
export const longestPause = 3_600_000;

/** Doubles with every attempt, up to `longest`; spread by a quarter, so that what failed together does not come together. */
const doubled = (attempts: number, longest: number): number =>
  Math.min(longest, shortestPause * 2 ** Math.max(0, attempts - 1)) * (1 + Math.random() / 4);

/** How long an event waits after so many attempts, in milliseconds. */
export const pauseOfEvent = (attempts: number): number => doubled(attempts, longestPause);

/** How long a receiver that fails is left alone after so many failures in a row, in milliseconds: a minute at most. */
export const pauseOfReceiver = (failures: number): number => doubled(failures, 60_000);

/**
 * The pause that a Retry-After header asks for, in milliseconds from `now`: seconds, or a date (RFC 9110, section
 * 10.2.3). 0 when there is none that can be read; never more than the longest pause.
 */
export const pauseAskedFor = (header: string | null, now: number): number => {
  if (header === null) return 0;
  const asked = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), longestPause) : 0;
};
