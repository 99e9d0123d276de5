import { type Engine, engines } from './engines.ts';

/** What went wrong at the bottom, without the message: it may hold the endpoint, and so a password. */
const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'an error';
  if (error.cause instanceof Error) return kindOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

/**
 * The endpoint that a variable of the environment gives, once the engine has answered there; nothing when it gives none.
 * An endpoint at which it doesn't answer is a mistake of who gave it: it rejects with the name of the variable, never
 * with its value.
 */
export const givenEndpoint = async (engine: Engine): Promise<string | undefined> => {
  const endpoint = process.env[engine.variable];
  // An empty variable is how one is unset in a file of variables.
  if (endpoint === undefined || endpoint === '') return undefined;
  let reason = 'something else answers';
  try {
    if (await engine.answersAt(endpoint)) return endpoint;
  } catch (error) {
    reason = kindOf(error);
  }
  throw new Error(`${engine.variable} is set, but no ${engine.name} answers there (${reason}): start it, or unset it`);
};

/** Looks at every endpoint that is given; rejects with all the mistakes at once. */
export const checkGivenEndpoints = async (): Promise<void> => {
  const outcomes = await Promise.allSettled(Object.values(engines).map(givenEndpoint));
  const mistakes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.message] : []));
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
};
