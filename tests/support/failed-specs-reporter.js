import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * Mocha's default report. Also appends the path of the spec file of every failing test to the file that
 * `FAILED_SPECS_FILE` names, a line for each failure, so that `.ci/run` can repeat these files.
 */
export default class FailedSpecsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { FAILED_SPECS_FILE } = process.env;
    if (FAILED_SPECS_FILE === undefined) return;
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) => {
      appendFileSync(FAILED_SPECS_FILE, `${test.file ?? ''}\n`);
    });
  }
}
