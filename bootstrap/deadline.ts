import type { Around } from '../application/bus.ts';
import { Fault } from '../application/fault.ts';

/**
 * Bounds every bus message by the operation timeout, in milliseconds: the caller gets the Fault `timed_out`, and what
 * the operation still does is of no account any more.
 */
export const withinDeadline = (operationTimeout: number): Around => {
  return async (type, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Fault('timed_out', `${type} took longer than the operation timeout of ${operationTimeout} ms`));
      }, operationTimeout);
    });
    try {
      return await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
};
