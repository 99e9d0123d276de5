import { chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import { openLog } from '../log-output.ts';
import { reportFailure, writeOutput } from './command-errors.ts';
import { type Command, exitStatus, UsageError } from './command-line.ts';
import { whileOpening } from './interrupts.ts';
import { retryWhileUnavailable } from './long-runs.ts';

/** Creates the tables and columns that the configured database lacks, or prints the statements that do. */
export const migrate: Command = async ({ values, positionals: [config, ...others] }) => {
  if (others.length > 0) throw new UsageError('migrate takes one configuration file');
  const file = chosenFile(config);
  try {
    const log = await openLog('silent');
    const { configuration } = await readConfiguration(file.path, log);
    for (const warning of file.warnings) process.stderr.write(`warn  ${warning}\n`);
    const { database, operationTimeoutMs } = configuration;
    const migration = await whileOpening('the database', async () =>
      database.open.migration?.({ log, operationTimeoutMs }),
    );
    // The output of --print is for a client of the database.
    const output = values.print ? process.stderr : process.stdout;
    const say = (line: string) => output.write(`ok    ${line}\n`);
    if (migration === undefined) {
      say(`database.type is ${database.type}: nothing to migrate by this command`);
      return exitStatus.done;
    }
    const { failure, missing, script } = migration;
    try {
      if (values.print) {
        if (failure) process.stderr.write(`warn  not compared with the database: ${failure.message}\n`);
        await writeOutput(script);
      } else if (failure !== undefined) throw failure;
      else if (missing.length === 0) say('nothing is missing');
      else {
        await retryWhileUnavailable(() => migration.create());
        for (const line of missing) say(`created ${line}`);
      }
    } finally {
      await migration.close();
    }
    return exitStatus.done;
  } catch (error) {
    return reportFailure(error, { file: file.path });
  }
};
