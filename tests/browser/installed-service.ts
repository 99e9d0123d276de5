import { Installation, type Serving } from '../process/installation.ts';

/** Runs the built service in a process during a suite, with SQLite, the outbox and the given blocks. */
export const serviceOfSuite = (blocks: Readonly<Record<string, unknown>> = {}): (() => Serving) => {
  let installation: Installation | undefined;
  let serving: Serving | undefined;
  before('start the service', async () => {
    installation = await Installation.create();
    await installation.configure(blocks);
    serving = await installation.serve();
  });
  after('end the service', async () => {
    await installation?.dispose();
  });
  return () => {
    if (serving === undefined) throw new TypeError('there is a service in hooks and tests only');
    return serving;
  };
};
