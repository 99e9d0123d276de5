import { setTimeout as sleep } from 'node:timers/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import { MissingDatabase } from '../../adapters/kit/definition.ts';
import { administrator } from '../../application/administration/administrator.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import { Fault, type FaultCode } from '../../application/fault.ts';
import type { Log } from '../../application/ports/log.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { UserPage } from '../../application/ports/user-listing.ts';
import type { User } from '../../domain/user.ts';
import type { Inactivity } from '../../domain/user-state.ts';
import { decodeDatabase } from '../configuration/adapter-block.ts';
import { type ChosenFile, chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import type { Configuration } from '../configuration/index.ts';
import { policiesOf, wire } from '../container.ts';
import { administrationFeature } from '../features/administration-feature.ts';
import type { Feature, FeatureContext } from '../features/feature.ts';
import { namingOf } from '../features/names-block.ts';
import { open as openNames } from '../features/names-feature.ts';
import { noticesMail } from '../features/notices-block.ts';
import { open as openPasswordRules } from '../features/password-rules-feature.ts';
import { openLog } from '../log-output.ts';
import { type Adapters, closeAdapters, openAdapters } from '../service/adapters.ts';
import { keepYoungGeneration } from '../young-generation.ts';
import { CommandError, describeFileError, reportFailure } from './command-errors.ts';
import { exitStatus, programName } from './command-line.ts';

const allUsers = { address: '', addressContains: '', conditions: [] };
/** More users than a database has, in the 32 bits that every database accepts as a limit. */
const maxCount = 2 ** 31 - 1;

/** What stores notices for users; the service sends them. */
const openNotices = ({ configuration, ...opened }: FeatureContext): readonly Promise<Feature>[] => {
  const { email, notices } = configuration;
  if (email === null || notices.length === 0) return [];
  const context = { configuration, ...opened };
  const load = [
    async () => (await import('../features/mail-queue-feature.ts')).open(noticesMail, context),
    async () => (await import('../features/languages-feature.ts')).open(email, context),
    async () => (await import('../features/notices-feature.ts')).storedNotices(notices),
  ];
  return load.map((open) => open());
};

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
  const adapters = await openAdapters(configuration, log, readOnly);
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

export interface TransferOptions {
  readonly readOnly: boolean;
  /** Whether plain passwords are hashed, so that the rules of new passwords apply. */
  readonly hashesPasswords?: boolean;
  /** Whether a database that does not exist, but could be created, counts as one without users. */
  readonly emptyIfMissing?: boolean;
  /** Opens what the command needs besides. */
  readonly openFurther?: (context: FeatureContext) => Promise<readonly Feature[]>;
}

/**
 * Opens the configured database and wires the use cases. Throws CommandError for the memory database, and with `readOnly`
 * the Fault MissingDatabase, unless a missing one counts as empty.
 */
export const openTransfer = async (
  file: ChosenFile,
  { readOnly, hashesPasswords = false, emptyIfMissing = false, openFurther }: TransferOptions,
): Promise<Transfer> => {
  keepYoungGeneration();
  const log = await openLog('silent');
  const { configuration } = await readConfiguration(file.path, log);
  if (configuration.database.type === 'memory')
    throw new CommandError('database.type is memory: only the running service has its users');
  for (const warning of file.warnings) process.stderr.write(`warn  ${warning}\n`);
  // A transfer sends no mails and checks no passwords.
  const opened = { ...configuration, email: null };
  const adapters = await openChecked(opened, log, readOnly).catch(async (error: unknown) => {
    if (!emptyIfMissing || !(error instanceof MissingDatabase) || !error.canBeCreated) throw error;
    process.stderr.write(`warn  ${error.path} does not exist yet; the import creates it\n`);
    const empty = await decodeDatabase({ type: 'memory' }, [], []);
    if (isLeft(empty)) throw error;
    return openAdapters({ ...opened, database: empty.right }, log);
  });
  const rules = hashesPasswords ? configuration.passwordRules : null;
  const naming = namingOf(configuration);
  const context = { configuration, adapters, log };
  const openFeatures = async (): Promise<readonly Feature[]> => [
    administrationFeature,
    ...(naming === null ? [] : [await openNames(naming, context)]),
    ...(rules === null ? [] : [await openPasswordRules(rules, context)]),
    // The service delivers what is stored for them.
    ...(configuration.events === null || readOnly ? [] : [{ subscriptions: configuration.events.webhooks }]),
    ...(readOnly ? [] : await Promise.all(openNotices(context))),
    ...((await openFurther?.(context)) ?? []),
  ];
  const features = await openFeatures().catch(async (error: unknown) => {
    await closeAdapters(adapters);
    throw error;
  });
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

const pageSize = 200;
const everyone = { address: '', verified: undefined, state: undefined };

/** Opens a transfer for `work` and closes it. Resolves with the exit status; errors are reported. */
export const withTransfer = async (
  config: string | undefined,
  options: TransferOptions,
  work: (transfer: Transfer) => Promise<void>,
): Promise<number> => {
  const file = chosenFile(config, process.env);
  try {
    const transfer = await openTransfer(file, options);
    try {
      await work(transfer);
      return exitStatus.done;
    } finally {
      await transfer.close();
    }
  } catch (error) {
    return reportFailure(describeFileError(error), { file: file.path });
  }
};

/**
 * Every user, or every inactive one, page by page, after the position of an earlier page. Throws the Fault of the
 * store, and CommandError if it cannot list users.
 */
export async function* pagesOf(queries: QueryBus, start?: string, inactive?: Inactivity): AsyncGenerator<UserPage> {
  for (let after = start; ; ) {
    const message = { type: 'ListUsers', by: administrator, limit: pageSize, after, ...everyone, inactive } as const;
    const listed = await retryWhileUnavailable(() => queries.dispatch(message));
    if (isLeft(listed)) throw new CommandError(`the users cannot be listed: ${listed.left.code}`);
    yield listed.right;
    after = listed.right.next;
    if (after === undefined) return;
  }
}

/** Shows how far a transfer has come. */
export interface Progress {
  /** `done` counts towards the total; `users` is the number of users so far. */
  update(done: number, users: number): void;
  end(): void;
}

export const noProgress: Progress = { update: () => undefined, end: () => undefined };

/** A progress bar on standard error if that is a terminal. If `total` is null, it only counts users. */
export const showProgress = async (verb: string, total: number | null): Promise<Progress> => {
  if (!process.stderr.isTTY) return noProgress;
  const { default: cliProgress } = await import('cli-progress');
  const bounded = `${verb} {bar} {percentage}% | {users} users | {duration_formatted}, {eta_formatted} left`;
  const format = total === null ? `${verb} {users} users | {duration_formatted}` : bounded;
  // Neither hides the cursor nor switches wrapping off, because a process that is killed could not undo it.
  const options = { format, linewrap: true, etaBuffer: 200 };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  bar.start(total ?? 0, 0, { users: 0 });
  return { update: (done, users) => bar.update(done, { users }), end: () => bar.stop() };
};

/**
 * Calls `stop` when a signal or a closed terminal interrupts a command; the same signal again ends the process. Returns a
 * function that restores the default.
 */
export const onInterrupt = (stop: () => void): (() => void) => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
};

/** How many users are written at once, so that the service keeps calls to the database for its requests. */
const atOnce = 16;

/**
 * Passes every user, or every inactive one, to `work`, and each page to `onPage` afterwards. Throws CommandError if a signal
 * interrupts it, which lets the users in progress end.
 */
export const eachUser = async (
  { queries, requireListing }: Transfer,
  { command, inactive }: { readonly command: string; readonly inactive?: Inactivity },
  work: (user: User) => Promise<void>,
  onPage: (page: UserPage) => void,
): Promise<void> => {
  requireListing();
  let isInterrupted = false;
  const restoreSignals = onInterrupt(() => {
    isInterrupted = true;
  });
  try {
    for await (const page of pagesOf(queries, undefined, inactive)) {
      for (let start = 0; start < page.users.length; start += atOnce) {
        if (isInterrupted)
          throw new CommandError(`interrupted; run ${programName()} ${command} again for the other users`);
        await Promise.all(page.users.slice(start, start + atOnce).map(work));
      }
      onPage(page);
    }
  } finally {
    restoreSignals();
  }
};

const defaultRetryTimeoutMs = 60_000;
const retryDelayMs = 1_000;

const transientFaults: ReadonlySet<FaultCode> = new Set(['store_unavailable', 'timed_out', 'overloaded']);

/** Repeats `work` while the database is unavailable. Throws the last Fault after the timeout, other errors at once. */
export const retryWhileUnavailable = async <Result>(
  work: () => Promise<Result>,
  timeoutMs = defaultRetryTimeoutMs,
): Promise<Result> => {
  const started = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isTransient = error instanceof Fault && transientFaults.has(error.code);
      if (!isTransient || performance.now() - started > timeoutMs) throw error;
      await sleep(retryDelayMs);
    }
  }
};
