import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { AdapterContext } from '../../../adapters/kit/definition.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { readConfiguration } from '../../../bootstrap/configuration/index.ts';
import type { OpenAdapter } from '../../../bootstrap/registry.ts';
import { startService } from '../../../bootstrap/service.ts';

/** The store that all services of a harness share: each user has an address of its own, and opening takes its time. */
export interface SharedStore {
  open(configured: OpenAdapter<StorePorts>, tools: AdapterContext): Promise<StorePorts>;
}

/** A service that runs. */
export interface Started {
  readonly url: string;
  readonly adminUrl: string;
  readonly warnings: readonly string[];
  /** What it logged until now, a line for each entry; complete only where every request is logged. */
  log(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** A configuration file in the folder of its harness. */
export interface Place {
  readonly folder: string;
  readonly file: string;
}

/** Where the services of a harness run. */
export interface Runtime {
  /** Whether a test can hand the service a store: it takes the same process. */
  readonly takesStores: boolean;
  /** Makes a folder that the service finds under the same path, for its configuration and what that names. */
  folder(): Promise<string>;
  /** Starts the service with a configuration; `overhear` is told every line of its log. */
  start(place: Place, store: SharedStore, addOutput: (line: string) => void): Promise<Started>;
}

/** An entry of the log as tests compare it. */
export const logLine = (message: string, fields: object): string =>
  `${message} ${inspect(fields, { depth: 10, breakLength: Number.POSITIVE_INFINITY })}`;

const listeningLog = (hear: (line: string) => void): Log => {
  const write = (fields: object, message: string): void => hear(logLine(message, fields));
  return { info: write, warn: write, error: write };
};

/** In the process of the tests. */
export const inProcess: Runtime = {
  takesStores: true,
  folder: () => mkdtemp(join(tmpdir(), 'latchkey-http-')),
  start: async ({ file }, store, addOutput) => {
    const lines: string[] = [];
    const log = listeningLog((line) => {
      lines.push(line);
      addOutput(line);
    });
    const { configuration, warnings } = await readConfiguration(file, log);
    const { type, open } = configuration.database;
    const database = { type, open: (tools: AdapterContext) => store.open(open, tools) };
    const { url, adminUrl, stop } = await startService({ ...configuration, database }, log);
    return { url, adminUrl, warnings, log: async () => [...lines], stop };
  },
};
