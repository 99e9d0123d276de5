/**
 * Global setup of a run, which Mocha executes once, in the process that starts the workers
 * (https://mochajs.org/features/global-fixtures/).
 */
import { reportAtExit } from './skipped-suites.ts';

/** Runs before the first test. When it rejects, the run fails without a test. */
export const mochaGlobalSetup = async (): Promise<void> => {
  reportAtExit();
  // Imported here, because the workers load this file too, and do not need it.
  const { checkGivenEndpoints } = await import('./endpoint-variables.ts');
  await checkGivenEndpoints();
};
