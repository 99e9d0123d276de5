import { Fault } from '../../application/fault.ts';
import { StartFailed } from '../cluster/start-failed.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { UnusableFile } from '../transfer/unusable-file.ts';
import { exitStatus } from './exit-status.ts';

const systemReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another program; stop that one, or write another port',
  EACCES: 'the port may not be listened on by this user; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine has no such address to listen on',
};

/** Whether `server.host` or `server.adminHost` names no host at all. */
const isUnknownHost = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo';

/** What the system refuses when a port can't be had; a worker of several asks for it in another way. */
const listening: ReadonlySet<string> = new Set(['listen', 'bind']);

const systemError = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error) || !listening.has(String(error.syscall)))
    return undefined;
  const where = 'address' in error && 'port' in error ? `${error.address}:${error.port}: ` : '';
  return `${where}${systemReasons[String(error.code)] ?? String(error.code)}`;
};

/** Says on standard error why a command failed, and returns the status with which the process ends. */
export const reportFailure = (error: unknown): number => {
  // A worker that could not start has said why.
  if (error instanceof StartFailed) return error.status;
  if (error instanceof ConfigurationError) {
    process.stderr.write(`${error.message}\n`);
    return exitStatus.wrongConfiguration;
  }
  if (isUnknownHost(error)) {
    process.stderr.write('latchkey: server.host or server.adminHost: no such host; write an address of this machine\n');
    return exitStatus.wrongConfiguration;
  }
  const isWorded = error instanceof Fault || error instanceof UnusableFile;
  const reason = isWorded ? error.message : systemError(error);
  if (reason === undefined) throw error;
  process.stderr.write(`latchkey: ${reason}\n`);
  return error instanceof Fault && error.code === 'secret_unknown' ? exitStatus.wrongConfiguration : exitStatus.failed;
};
