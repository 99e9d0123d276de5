import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../../application/fault.ts';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { type AdapterContext, defineAdapter, MissingDatabase } from '../../kit/definition.ts';
import { canCreate } from '../../kit/file-creation.ts';
import { block, withDefault } from '../../kit/option-block.ts';
import { text, wholeNumber } from '../../kit/option-codecs.ts';
import { defaultCacheMiB } from './reader.ts';
import { openAttemptCounter } from './sqlite-attempt-counter.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteEventOutbox } from './sqlite-event-outbox.ts';
import { SqliteUserListing } from './sqlite-user-listing.ts';
import { SqliteUserSearch } from './sqlite-user-search.ts';
import { SqliteUserStore } from './sqlite-user-store.ts';
import { WriteQueue } from './write-queue.ts';
import type { WriterOptions } from './writer.ts';

const maxBusyTimeoutMs = 2000;

/** Two halves of 8 MiB, as much as groups of large writes use; V8 would let them grow to 64 MiB each. */
const resourceLimits = { maxYoungGenerationSizeMb: 24 };

/** Starts the writer thread. Its file has the extension of this one, as TypeScript or compiled. */
export const startWriter = (options: WriterOptions): Worker =>
  new Worker(new URL(`./writer${extname(import.meta.url)}`, import.meta.url), { workerData: options, resourceLimits });

const open = async (
  { path, cacheMiB }: { readonly path: string; readonly cacheMiB?: number },
  { log, operationTimeoutMs, clock, hideUnknownUsers = false, keepsNames = false, readOnly = false }: AdapterContext,
): Promise<StorePorts> => {
  const file = resolve(path);
  if (readOnly && !existsSync(file)) throw new MissingDatabase(file, canCreate(file));
  const busyTimeoutMs = Math.ceil(Math.min(maxBusyTimeoutMs, operationTimeoutMs / 2));
  const queue = new WriteQueue(
    () => startWriter({ path: file, busyTimeoutMs, opened: connection.openFiles() }),
    (error) => log.error({ error: error.name }, 'the writer thread of the database failed; another one is started'),
  );
  const connection = new SqliteConnection(file, queue, log, { hideUnknownUsers, keepsNames, cacheMiB, readOnly });
  try {
    await connection.open();
  } catch (fault) {
    // A file of another program never becomes usable; everything else may.
    if (!(fault instanceof Fault) || fault.code === 'store_rejected') {
      await connection.close();
      throw fault;
    }
  }
  return {
    users: new SqliteUserStore(connection, clock),
    names: { find: (name) => connection.find(name) },
    listing: new SqliteUserListing(connection),
    search: new SqliteUserSearch(connection),
    events: new SqliteEventOutbox(connection, log),
    attempts: async (limits) => openAttemptCounter(file, limits, readOnly),
  };
};

/** The embedded store: one SQLite file, for a service on one machine. */
export const sqlite = defineAdapter({
  type: 'sqlite',
  configuration: block({
    path: withDefault(text, './data/latchkey.db', 'The file, created if missing.'),
    cacheMiB: withDefault(
      wholeNumber(1, 65_536),
      defaultCacheMiB,
      'The most memory of each worker for pages of the file that it has read, in MiB; its writer has 4 more.',
    ),
  }),
  open,
});
