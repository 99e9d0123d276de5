import { systemClock } from '../../adapters/system-clock.ts';
import { healthOf } from '../../application/health.ts';
import { chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import { permissionLines, unlimitedKeys } from '../configuration/key-permissions.ts';
import { type Naming, namingOf } from '../features/names-block.ts';
import { openLog } from '../log-output.ts';
import { openAuthentication } from '../service/authentication.ts';
import { componentsOf } from './checked-components.ts';
import { reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';

/** Which commands users from before the configuration may need; the configuration does not tell whether they have run. */
const aboutFormerUsers = (naming: Naming | undefined): string => {
  if (naming === undefined) return '';
  const steps = [
    ...(naming.ids ? ['latchkey ids gives them ids'] : []),
    ...(naming.unique.length > 0 ? ['latchkey reindex makes them known by unique properties'] : []),
    ...(naming.mailboxes ? ['latchkey reindex makes their mailboxes known'] : []),
  ];
  return ` (users from before it: ${steps.join(', ')})`;
};

const printLine = (mark: 'ok' | 'warn' | 'FAIL', text: string): void => {
  process.stdout.write(`${mark.padEnd(6)}${text}\n`);
};

/**
 * Checks the configuration, then the secrets, the database, the mail provider, the audit file and the signing keys, and
 * prints one line for each, and for what each key may do.
 */
export const check = async ({ positionals: [config, ...others] }: Arguments): Promise<number> => {
  if (others.length > 0) throw new UsageError('check takes one configuration file');
  const file = chosenFile(config);
  try {
    const log = await openLog('silent');
    const { configuration, warnings } = await readConfiguration(file.path, log);
    printLine('ok', `configuration: ${file.path}${aboutFormerUsers(namingOf(configuration))}`);
    for (const warning of [...file.warnings, ...warnings, ...unlimitedKeys(configuration)]) printLine('warn', warning);
    for (const line of permissionLines(configuration)) printLine('ok', line);
    const authentication = await openAuthentication(configuration.auth, log, systemClock);
    const context = { log, operationTimeoutMs: configuration.operationTimeoutMs };
    let hasFailed = false;
    for (const component of componentsOf(configuration, authentication, context)) {
      const { healthy, message } = await healthOf(component);
      printLine(healthy ? 'ok' : 'FAIL', `${component.name}: ${message}`);
      hasFailed ||= !healthy;
    }
    authentication.close();
    return hasFailed ? exitStatus.failed : exitStatus.done;
  } catch (error) {
    return reportFailure(error, { file: file.path });
  }
};
