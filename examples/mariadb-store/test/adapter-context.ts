import { type AdapterContext, Fault } from 'latchkey/ports';

/** The context that the service passes to a store; `lines` collects the log. */
export const adapterContext = (operationTimeoutMs = 10_000): AdapterContext & { readonly lines: readonly string[] } => {
  const lines: string[] = [];
  const write = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { lines, operationTimeoutMs, log: { info: write, warn: write, error: write } };
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
