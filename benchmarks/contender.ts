import { fileURLToPath } from 'node:url';
import type { Program } from './server.ts';

/** A program of the folder `contenders/`, which finds what it needs in its environment. */
export const contender = (name: string, folder: string, environment: NodeJS.ProcessEnv): Program => ({
  args: [fileURLToPath(new URL(`contenders/${name}.js`, import.meta.url))],
  folder,
  environment,
});

/** How the name of a server ends whose writes are answered before they are on the disk. */
export const neverFlushed = ', never flushed';
