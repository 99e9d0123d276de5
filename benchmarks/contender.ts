import { fileURLToPath } from 'node:url';
import type { Program } from './server.ts';

/** A program of the folder `contenders/`, which reads its settings from the environment. */
export const contender = (name: string, folder: string, environment: NodeJS.ProcessEnv): Program => ({
  args: [fileURLToPath(new URL(`contenders/${name}.js`, import.meta.url))],
  folder,
  environment,
});

/** Suffix of the names of servers that respond before a write is flushed. */
export const notFlushed = ', not flushed';
