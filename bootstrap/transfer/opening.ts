import type { AdapterContext } from '../../adapters/kit/definition.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { ChosenFile } from '../configuration/chosen-file.ts';
import { type Configuration, readConfiguration } from '../configuration/index.ts';
import { openLog } from '../log.ts';
import { UnusableFile } from './unusable-file.ts';

/** What a transfer works with. */
export interface Transfer {
  readonly configuration: Configuration;
  readonly tools: AdapterContext;
  readonly store: StorePorts;
}

/** Reads the configuration and opens its database. Throws as these do, and where no database is shared. */
export const openTransfer = async (file: ChosenFile): Promise<Transfer> => {
  const log = await openLog('silent');
  const { configuration } = await readConfiguration(file.path, log);
  // It would be told that all went well, and nobody would be anywhere.
  if (configuration.database.type === 'memory')
    throw new UnusableFile('database.type is memory: only the service itself has these users');
  for (const warning of file.warnings) process.stderr.write(`warn  ${warning}\n`);
  const tools = { log, operationTimeout: configuration.operationTimeout };
  return { configuration, tools, store: await configuration.database.open(tools) };
};
