import { type Component, healthOf } from '../../adapters/http/admin.ts';
import type { Tools } from '../../application/ports/adapter.ts';
import { type Configuration, readConfiguration } from '../configuration/index.ts';
import type { ChosenFile } from '../configuration-file.ts';
import { exitStatus } from '../exit-status.ts';
import { openLog } from '../log.ts';
import type { Opening } from '../offer.ts';
import { reportFailure } from './report.ts';

interface Checkable {
  check(secret?: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens an adapter only to ask how it is; one of secrets is asked about a secret that the file names, if any. */
const component = (name: string, open: Opening<Checkable>, tools: Tools, secret?: string): Component => ({
  name,
  check: async () => {
    const adapter = await open(tools);
    try {
      return await adapter.check(secret);
    } finally {
      await adapter.close();
    }
  },
});

const componentsOf = ({ secrets, database, email, operationTimeout }: Configuration, log: Tools['log']) => {
  const tools = { log, operationTimeout };
  return [
    component(`secrets (${secrets.provider})`, secrets.open, tools, secrets.named[0]),
    component(`database (${database.type})`, database.open, tools),
    ...(email === null ? [] : [component(`email (${email.type})`, email.open, tools)]),
  ];
};

const print = (well: boolean, name: string, message: string): void => {
  process.stdout.write(`${well ? 'ok  ' : 'FAIL'}  ${name}: ${message}\n`);
};

/** Decodes the file, then reaches the secrets, the database and the mail provider, and prints a line for each. */
export const check = async (file: ChosenFile): Promise<number> => {
  try {
    const log = await openLog('silent');
    const { configuration, warnings } = await readConfiguration(file.path, log);
    print(true, 'configuration', file.path);
    for (const warning of [...file.warnings, ...warnings]) process.stdout.write(`warn  ${warning}\n`);
    let failed = false;
    for (const part of componentsOf(configuration, log)) {
      const { healthy, message } = await healthOf(part);
      print(healthy, part.name, message);
      failed ||= !healthy;
    }
    return failed ? exitStatus.failed : exitStatus.done;
  } catch (error) {
    return reportFailure(error);
  }
};
