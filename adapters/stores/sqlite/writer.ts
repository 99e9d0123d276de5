// The writing thread: the only place where a write waits for the disk, so that the service's event loop never does.
import { parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { openForWriting } from './database.ts';
import { troubleOf } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import type { Reply, Request, Write, WriterOptions } from './writes.ts';

if (parentPort === null) throw new Error('the writer runs as a thread of the service');
const port = parentPort;
const { path, patience }: WriterOptions = workerData;

let database: Database.Database | undefined;
let groups: GroupCommit | undefined;

const close = (): void => {
  database?.close();
  database = undefined;
  groups = undefined;
};

const opened = (): GroupCommit => {
  if (groups !== undefined) return groups;
  database = openForWriting(path, patience);
  groups = new GroupCommit(database);
  return groups;
};

const apply = (writes: readonly Write[]): Reply => {
  try {
    return opened().apply(writes);
  } catch (error) {
    // Closing rolls back what is left of the transaction; the next group starts with a new connection.
    close();
    const trouble = troubleOf(error);
    return writes.map(() => trouble);
  }
};

port.on('message', (request: Request) => {
  if (request !== 'close') return port.postMessage(apply(request));
  close();
  port.close();
});
