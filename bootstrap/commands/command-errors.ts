import { Fault, isOfRecord } from '../../application/fault.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { withLines } from '../configuration/problem-lines.ts';
import type { Server } from '../configuration/server-block.ts';
import { exitStatus } from './command-line.ts';

/** A command cannot read or write a file, or cannot work with this configuration. The message says why. */
export class CommandError extends Error {}

/**
 * Writes a document to standard output. Throws CommandError if it cannot be written, because a part of it must not look
 * complete to a script.
 */
export const writeOutput = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve();
      const isClosed = 'code' in error && error.code === 'EPIPE';
      reject(new CommandError(isClosed ? 'standard output was closed before its end' : 'the output is incomplete'));
    });
  });

/** A worker ended before it listened, with this exit status; it has already written the reason to standard error. */
export class WorkerStartFailed extends Error {
  constructor(readonly status: number) {
    super('a worker could not start');
  }
}

const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'is a folder',
  ENXIO: 'is not a regular file',
  ELOOP: 'is a symbolic link; name the file itself',
  EEXIST: 'exists already; name a new file',
  ENOSPC: 'the disk is full',
};

/**
 * Turns an error of the file system into a CommandError that names the file, which is `written` if the error has no path,
 * as that of a write; returns any other error unchanged.
 */
export const describeFileError = (error: unknown, written?: string): unknown => {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const path = 'path' in error ? error.path : written;
  const prefix = path === undefined ? '' : `${path}: `;
  return new CommandError(`${prefix}${fileErrors[String(error.code)] ?? error.code}`);
};

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another program; stop that program or configure another port',
  EACCES: 'this user may not listen on the port; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine does not have this address',
};

// The system call that fails in a single process, and in a worker of a cluster.
const listenCalls: ReadonlySet<string> = new Set(['listen', 'bind']);

/** The options that chose the address and port on which listening failed, in parentheses. */
const optionsOf = (error: Error & { code: unknown }, { port, adminPort }: Server): string => {
  const kind = error.code === 'EADDRNOTAVAIL' ? 'Host' : 'Port';
  const names = [
    { option: `server.${kind.toLowerCase()}`, number: port },
    { option: `server.admin${kind}`, number: adminPort },
  ].filter(({ number }) => 'port' in error && error.port === number);
  return names.length === 0 ? '' : ` (${names.map(({ option }) => option).join(' or ')})`;
};

const describeListenError = (error: unknown, server: Server | undefined): string | undefined => {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  if (!listenCalls.has(String(error.syscall))) return undefined;
  const where = 'address' in error && 'port' in error ? `${error.address}:${error.port}: ` : '';
  const options = server === undefined ? '' : optionsOf(error, server);
  return `${where}${listenErrors[String(error.code)] ?? String(error.code)}${options}`;
};

const isUnknownHost = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo';

/** What a command knows about its configuration when it fails. */
interface FailedWith {
  /** The path of the configuration file, for the lines of its problems. */
  readonly file?: string | undefined;
  /** The addresses, for the options of a port that is not available. */
  readonly server?: Server | undefined;
}

/** Writes to standard error why a command failed and resolves with the exit status. Rejects with errors that are bugs. */
export const reportFailure = async (error: unknown, { file, server }: FailedWith = {}): Promise<number> => {
  if (error instanceof WorkerStartFailed) return error.status;
  if (error instanceof ConfigurationError) {
    process.stderr.write(`${(await withLines(error, file)).message}\n`);
    return exitStatus.wrongConfiguration;
  }
  if (isUnknownHost(error)) {
    process.stderr.write(
      'latchkey: server.host or server.adminHost: no such host; configure an address of this machine\n',
    );
    return exitStatus.wrongConfiguration;
  }
  if (isOfRecord(error)) {
    const advice =
      'repair it, or delete it with its names (docs/operations.md#damaged-records), and run the command again';
    process.stderr.write(`latchkey: the record ${error.record} is damaged (${error.message}): ${advice}\n`);
    return exitStatus.failed;
  }
  const isForOperators = error instanceof Fault || error instanceof CommandError;
  const reason = isForOperators ? error.message : describeListenError(error, server);
  if (reason === undefined) throw error;
  process.stderr.write(`latchkey: ${reason}\n`);
  return error instanceof Fault && error.code === 'secret_unknown' ? exitStatus.wrongConfiguration : exitStatus.failed;
};
