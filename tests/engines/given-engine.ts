import type { Engine } from './engines.ts';

/** What went wrong at the bottom, without the message: it may hold the endpoint, and so a password. */
const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'an error';
  if (error.cause instanceof Error) return kindOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

/**
 * The endpoint that a variable of the environment gave, once the engine has answered there. An endpoint at which it
 * doesn't is a mistake of who gave it: it rejects with the name of the variable, never with its value.
 */
export const givenEndpoint = async (engine: Engine, endpoint: string): Promise<string> => {
  let reason = 'something else answers';
  try {
    if (await engine.answersAt(endpoint)) return endpoint;
  } catch (error) {
    reason = kindOf(error);
  }
  throw new Error(`${engine.variable} is set, but no ${engine.name} answers there (${reason}): start it, or unset it`);
};
