/**
 * What a run does once, whatever the number of its workers: Mocha loads this with `--require`, and runs it in the
 * process that starts the workers (https://mochajs.org/features/global-fixtures/).
 */
import { reportAtEnd } from './absence.ts';

/** Before the first test; when it rejects, no test runs, and the run has failed. */
export const mochaGlobalSetup = async (): Promise<void> => {
  reportAtEnd();
  // Loaded here: the workers load this module too, and have no use for it.
  const { checkGivenEndpoints } = await import('./given-engine.ts');
  await checkGivenEndpoints();
};
