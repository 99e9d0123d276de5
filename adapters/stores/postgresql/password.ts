import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Fault } from '../../../application/fault.ts';
import { singleFlight } from '../../concurrency/shared-call.ts';
import { systemCode } from './errors.ts';

const commandTimeoutMs = 10_000;

export interface PasswordSources {
  readonly password: string | undefined;
  readonly passwordFile: string | null;
  readonly passwordCommand: readonly string[] | null;
}

const run = promisify(execFile);

/** Runs a program without a shell and returns its output. Nothing of the output can reach an error. */
const outputOf = async ([program = '', ...args]: readonly string[]): Promise<string> => {
  const running = run(program, args, { timeout: commandTimeoutMs, killSignal: 'SIGKILL', maxBuffer: 65_536 });
  // One that asks for something would wait for the answer otherwise.
  running.child.stdin?.end();
  return (await running).stdout;
};

/** Returns a password that is read for every connection, without the line break at its end. Throws Faults. */
const changing = (what: string, read: () => Promise<string>): (() => Promise<string>) =>
  // Connections that are made at the same time share one execution, which began when the last of them asked for it.
  singleFlight(async () => {
    const content = await read().catch((error: unknown) => {
      throw new Fault('store_unavailable', `PostgreSQL: the ${what} failed${systemCode(error)}`);
    });
    const password = content.replace(/\r?\n$/, '');
    if (password === '') throw new Fault('store_unavailable', `PostgreSQL: the ${what} is empty`);
    return password;
  });

/** The password of new connections. A function also where there is none: the driver would read variables and files. */
export const passwordFrom = ({ password, passwordFile, passwordCommand }: PasswordSources): (() => Promise<string>) => {
  if (passwordFile !== null) return changing('passwordFile', () => readFile(passwordFile, 'utf8'));
  if (passwordCommand !== null) return changing('passwordCommand', () => outputOf(passwordCommand));
  return async () => password ?? '';
};
