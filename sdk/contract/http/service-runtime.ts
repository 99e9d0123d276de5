import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { AdapterContext, OpenAdapter } from '../../../adapters/kit/definition.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { readConfiguration } from '../../../bootstrap/configuration/configuration-file.ts';
import { startService } from '../../../bootstrap/service.ts';

/** The store that all services of a harness share, because opening takes long. Tests use unique addresses. */
export interface SharedStore {
  open(configured: OpenAdapter<StorePorts>, tools: AdapterContext): Promise<StorePorts>;
}

/** A running service. */
export interface Started {
  readonly url: string;
  readonly adminUrl: string;
  readonly warnings: readonly string[];
  /** The log lines so far; complete only if all requests are logged. */
  log(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** A configuration file in the folder of the harness. */
export interface Place {
  readonly folder: string;
  readonly file: string;
}

/** How the harness runs services. */
export interface Runtime {
  /** Whether a test can pass a store to the service, which requires the same process. */
  readonly takesStores: boolean;
  /** Creates a folder for configurations and their files, which has the same path for the service. */
  folder(): Promise<string>;
  /** Starts the service with a configuration; calls `addOutput` with every line of its log. */
  start(place: Place, store: SharedStore, addOutput: (line: string) => void): Promise<Started>;
}

/** A log entry in the form that tests compare. */
export const logLine = (message: string, fields: object): string =>
  `${message} ${inspect(fields, { depth: 10, breakLength: Number.POSITIVE_INFINITY })}`;

const logTo = (addLine: (line: string) => void): Log => {
  const write = (fields: object, message: string): void => addLine(logLine(message, fields));
  return { info: write, warn: write, error: write };
};

/** Runs services in the process of the tests. */
export const inProcess: Runtime = {
  takesStores: true,
  folder: () => mkdtemp(join(tmpdir(), 'latchkey-http-')),
  start: async ({ file }, store, addOutput) => {
    const lines: string[] = [];
    const log = logTo((line) => {
      lines.push(line);
      addOutput(line);
    });
    const { configuration, warnings } = await readConfiguration(file, log);
    const { open, ...others } = configuration.database;
    const database = { ...others, open: (tools: AdapterContext) => store.open(open, tools) };
    const { url, adminUrl, stop } = await startService({ ...configuration, database }, log);
    return { url, adminUrl, warnings, log: async () => [...lines], stop };
  },
};
