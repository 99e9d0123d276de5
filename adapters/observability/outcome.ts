import { Fault } from '../../application/fault.ts';

/** What may be said of an error where values must not get: the code of a Fault, or `unexpected`. */
export const kindOf = (error: unknown): string => (error instanceof Fault ? error.code : 'unexpected');

/** The code of the failure that a use case answered with; undefined when it did what was asked. */
export const refusedWith = (result: unknown): string | undefined => {
  if (typeof result !== 'object' || result === null || !('_tag' in result) || result._tag !== 'Left') return undefined;
  const failure = 'left' in result ? result.left : undefined;
  return typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : 'refused';
};
