/** What a promise rejects with; throws when it resolves. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a rejection, resolved with ${JSON.stringify(value)}`);
};
