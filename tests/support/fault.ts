import { Fault } from '../../application/fault.ts';
import { rejection } from './rejection.ts';

/** The Fault with which a promise rejects; throws what else it rejects with. */
export const faultOf = async (promise: Promise<unknown>): Promise<Fault> => {
  const error = await rejection(promise);
  if (error instanceof Fault) return error;
  throw error;
};
