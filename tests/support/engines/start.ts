/**
 * Starts engines that several test runs share, and prints the variables that select them, for a shell, and then `# ready`. It
 * prints none for an engine that cannot be started, which each run then reports. They are removed when this process ends.
 */
import { engines } from './engines.ts';
import { sharedEndpoint } from './shared-engine.ts';

// Not `aws`, because the programs under test know its variable as well.
await Promise.all(
  [engines.mongodb, engines.dynamodb].map(async (engine) => {
    try {
      console.log(`export ${engine.variable}='${await sharedEndpoint(engine)}'`);
    } catch (error) {
      console.error(error);
    }
  }),
);
console.log('# ready');
setInterval(() => undefined, 1_000_000);
