/**
 * An outbox keeps one time of a mail, whether a process has claimed it or an attempt has failed: when it is due. So that
 * administrators can change a mail as soon as its attempt has failed, a mail is postponed to a whole second, and a claim
 * never ends at one. What a former version postponed counts as claimed.
 */
const stepMs = 1_000;

/** When a mail is due that is postponed to a time, in milliseconds since the epoch. */
export const postponedTo = (time: number): number => Math.ceil(time / stepMs) * stepMs;

/** When a claim of a mail ends that lasts until a time. */
export const leaseEnd = (time: number): number => (time % stepMs === 0 ? time + 1 : time);

/** Whether a mail that is due later was postponed; otherwise a process may be sending it. */
export const isPostponed = (due: number): boolean => due % stepMs === 0;
