import { isLeft } from 'fp-ts/lib/Either.js';
import { MissingDatabase } from '../../adapters/kit/definition.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import type { Log } from '../../application/ports/log.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import { decodeDatabase } from '../configuration/adapter-block.ts';
import { type ChosenFile, chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import type { Configuration } from '../configuration/index.ts';
import { policiesOf, wire } from '../container.ts';
import { administrationFeature } from '../features/administration-feature.ts';
import type { Feature } from '../features/feature.ts';
import { languages, mailQueue, names, type OptionalFeature, openFeatures, passwordRules } from '../features/index.ts';
import { storedNotices } from '../features/notices-feature.ts';
import { keepYoungGeneration } from '../heap-growth.ts';
import { openLog } from '../log-output.ts';
import { type Adapters, closeAdapters, openAdapters } from '../service/adapters.ts';
import { CommandError, describeFileError, reportFailure } from './command-errors.ts';
import { exitStatus } from './command-line.ts';
import { whileOpening } from './interrupts.ts';

const allUsers = { address: '', addressContains: '', conditions: [] };
/** More users than a database has, in the 32 bits that every database accepts as a limit. */
const maxCount = 2 ** 31 - 1;

const storesNotices = ({ notices }: Configuration, { readOnly }: TransferOptions): boolean =>
  !readOnly && notices.length > 0;

/** The features that change what is stored of a user. */
const featuresOf = (configuration: Configuration, options: TransferOptions): readonly OptionalFeature[] => [
  names,
  ...(options.hashesPasswords ? [passwordRules] : []),
  ...(storesNotices(configuration, options) ? [languages, mailQueue] : []),
  ...(options.further ?? []),
];

/** The use cases on an opened database. */
export interface Transfer {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  /** Throws CommandError if the database cannot list its users. */
  requireListing(): void;
  /** How many users there are; null where the database cannot count them, or fails to. */
  countUsers(): Promise<number | null>;
  /** The configured algorithm, which also verifies those that `passwordHash.accept` names. */
  readonly hash: PasswordHash;
  readonly configuration: Configuration;
  readonly file: string;
  close(): Promise<void>;
}

/**
 * Opens the adapters, and finds out whether the database exists and whether a newer version has written to it, which every
 * later call then says. Other failures of the check do not concern a transfer. Throws the Fault MissingDatabase.
 */
const openChecked = async (configuration: Configuration, log: Log, readOnly: boolean): Promise<Adapters> => {
  const adapters = await openAdapters(configuration, log, { readOnly });
  try {
    await adapters.store.users.check();
  } catch (error) {
    if (error instanceof MissingDatabase) {
      await closeAdapters(adapters);
      throw error;
    }
  }
  return adapters;
};

interface TransferOptions {
  readonly readOnly: boolean;
  /** Whether plain passwords are hashed, so that the rules of new passwords apply. */
  readonly hashesPasswords?: boolean;
  /** Whether a database that does not exist is created; with `readOnly` one that could be created counts as empty. */
  readonly createsDatabase?: boolean;
  /** Throws for what the command cannot use, before the database is opened. */
  readonly requires?: (configuration: Configuration, file: string) => void | Promise<void>;
  /** The features that the command needs besides. */
  readonly further?: readonly OptionalFeature[];
}

/** Opens the adapters, and the features that change users. Throws the Fault MissingDatabase. */
const openStore = async (configuration: Configuration, log: Log, options: TransferOptions) => {
  const { readOnly, createsDatabase = false } = options;
  // A transfer sends no mails and checks no passwords.
  const { email: _, ...opened } = configuration;
  if (!readOnly && !createsDatabase) await closeAdapters(await openChecked(opened, log, true));
  const adapters = await openChecked(opened, log, readOnly).catch(async (error: unknown) => {
    if (!createsDatabase || !(error instanceof MissingDatabase) || !error.canBeCreated) throw error;
    process.stderr.write(`warn  ${error.path} does not exist yet; the import creates it\n`);
    const empty = await decodeDatabase({ type: 'memory' }, [], []);
    if (isLeft(empty)) throw error;
    return openAdapters({ ...opened, database: empty.right }, log);
  });
  const configured = await openFeatures({ configuration, adapters, log }, featuresOf(configuration, options)).catch(
    async (error: unknown) => {
      await closeAdapters(adapters);
      throw error;
    },
  );
  return { adapters, configured };
};

/**
 * Opens the configured database and wires the use cases. Throws CommandError for the memory database, and the Fault
 * MissingDatabase unless `createsDatabase`: a command in a wrong folder would otherwise create an empty one, and say that
 * it is done.
 */
const openTransfer = async (file: ChosenFile, options: TransferOptions): Promise<Transfer> => {
  keepYoungGeneration();
  const log = await openLog('silent');
  const { configuration } = await readConfiguration(file.path, log);
  if (configuration.database.type === 'memory')
    throw new CommandError('database.type is memory: only the running service has its users');
  await options.requires?.(configuration, file.path);
  for (const warning of file.warnings) process.stderr.write(`warn  ${warning}\n`);
  const { adapters, configured } = await whileOpening('the database', () => openStore(configuration, log, options));
  // The service delivers the events and mails that are stored.
  const webhooks = options.readOnly ? undefined : configuration.events?.webhooks;
  const features: readonly Feature[] = [
    administrationFeature,
    ...configured,
    ...(webhooks === undefined ? [] : [{ subscriptions: webhooks }]),
    ...(storesNotices(configuration, options) ? [storedNotices(configuration.notices)] : []),
  ];
  const { get } = wire(adapters, policiesOf(configuration), features);
  return {
    commands: get(CommandBus),
    queries: get(QueryBus),
    requireListing: () => {
      if (adapters.store.listing === undefined) throw new CommandError('the configured database cannot list its users');
    },
    countUsers: async () => adapters.store.search?.count(allUsers, maxCount).catch(() => null) ?? null,
    hash: adapters.hash,
    configuration,
    file: file.path,
    close: async () => {
      for (const { close } of features) await close?.();
      await closeAdapters(adapters);
    },
  };
};

/** Opens a transfer for `work`, which may resolve with an exit status, and closes it. Errors are reported. */
export const withTransfer = async (
  config: string | undefined,
  options: TransferOptions,
  work: (transfer: Transfer) => Promise<number | undefined>,
): Promise<number> => {
  const file = chosenFile(config);
  try {
    const transfer = await openTransfer(file, options);
    try {
      return (await work(transfer)) ?? exitStatus.done;
    } finally {
      await transfer.close();
    }
  } catch (error) {
    return reportFailure(describeFileError(error), { file: file.path });
  }
};
