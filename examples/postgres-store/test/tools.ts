import { type AdapterContext, Fault } from 'latchkey/ports';

/** What the service lends to the store. Lines of the log are kept, and the deadline of an operation is in milliseconds. */
export const tools = (operationTimeout = 10_000): AdapterContext & { readonly lines: readonly string[] } => {
  const lines: string[] = [];
  const write = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { lines, operationTimeout, log: { info: write, warn: write, error: write } };
};

/** The Fault with which a promise rejects. */
export const faultOf = async (promise: Promise<unknown>): Promise<Fault> => {
  const error = await promise.then(
    () => new Error('a rejection was expected'),
    (reason: unknown) => reason,
  );
  if (error instanceof Fault) return error;
  throw error;
};
