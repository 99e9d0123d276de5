import Mocha from 'mocha';
import { literally } from './altered-port.ts';

/** The tests of a suite that ran, with the error of each that failed. */
export interface SuiteRun {
  readonly passed: readonly string[];
  readonly failed: ReadonlyMap<string, string>;
}

const functions = ['describe', 'it', 'before', 'after', 'beforeEach', 'afterEach'] as const;

/** Defines a suite as authors of adapters do, and runs the tests whose titles contain a text. */
export const runSuite = async (define: () => void, title: string, timeoutMs: number): Promise<SuiteRun> => {
  const root = new Mocha.Suite('', new Mocha.Context());
  root.timeout(timeoutMs);
  const own: Partial<Record<(typeof functions)[number], unknown>> = {};
  Mocha.interfaces.bdd(root);
  root.emit('pre-require', own, '', new Mocha({ ui: 'bdd' }));
  const outer = Object.fromEntries(functions.map((name) => [name, globalThis[name]]));
  Object.assign(globalThis, Object.fromEntries(functions.map((name) => [name, own[name]])));
  try {
    define();
  } finally {
    Object.assign(globalThis, outer);
  }
  const runner = new Mocha.Runner(root, {});
  runner.grep(new RegExp(literally(title)), false);
  const passed: string[] = [];
  const failed = new Map<string, string>();
  runner.on('pass', (test) => passed.push(test.fullTitle()));
  runner.on('fail', (test, error) => failed.set(test.fullTitle(), String(error)));
  await new Promise((resolve) => runner.run(resolve));
  return { passed, failed };
};
