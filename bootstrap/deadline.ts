import { Fault } from '../application/fault.ts';
import type { Around } from '../application/ports/around.ts';
import { within } from '../application/within.ts';

/**
 * Bounds every bus message by the operation timeout, in milliseconds: the caller gets the Fault `timed_out`, and what
 * the operation still does is of no account any more.
 */
export const withinDeadline =
  (operationTimeout: number): Around =>
  (type, next) =>
    within(operationTimeout, next(), () => {
      const message = `${type} took longer than the operation timeout of ${operationTimeout} ms`;
      return new Fault('timed_out', message);
    });
