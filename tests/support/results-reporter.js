import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * Mocha's default report. For `.ci/run`, it also appends to the files `<MOCHA_RESULTS>.specs` and `.titles` the path of the
 * spec file and the full title of every failing test, a line for each failure, so that they can be repeated, and at the end to
 * `<MOCHA_RESULTS>.counts` a line with the numbers of passed and of failed tests.
 */
export default class ResultsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { MOCHA_RESULTS } = process.env;
    if (MOCHA_RESULTS === undefined) return;
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) => {
      appendFileSync(`${MOCHA_RESULTS}.specs`, `${test.file ?? ''}\n`);
      appendFileSync(`${MOCHA_RESULTS}.titles`, `${test.fullTitle()}\n`);
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      appendFileSync(`${MOCHA_RESULTS}.counts`, `${this.stats.passes} ${this.stats.failures}\n`);
    });
  }
}
