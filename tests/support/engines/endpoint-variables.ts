import { type Engine, engines } from './engines.ts';

/** The code or name of the root cause. Not its message, which may contain the endpoint and so a password. */
const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'an error';
  if (error.cause instanceof Error) return kindOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

/**
 * The endpoint in the environment variable of an engine, after a check that the engine responds there; undefined when
 * it is not set. Rejects when the engine does not respond: with the name of the variable, never with its value.
 */
export const givenEndpoint = async (engine: Engine): Promise<string | undefined> => {
  const endpoint = process.env[engine.variable];
  // In an env file, a variable is unset by leaving it empty.
  if (endpoint === undefined || endpoint === '') return undefined;
  let reason = 'something else responds';
  try {
    if (await engine.answersAt(endpoint)) return endpoint;
  } catch (error) {
    reason = kindOf(error);
  }
  throw new Error(
    `${engine.variable} is set, but ${engine.name} does not respond there (${reason}): start it, or unset the variable`,
  );
};

/** Checks all endpoint variables. Rejects with all errors together. */
export const checkGivenEndpoints = async (): Promise<void> => {
  const outcomes = await Promise.allSettled(Object.values(engines).map(givenEndpoint));
  const mistakes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.message] : []));
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
};
