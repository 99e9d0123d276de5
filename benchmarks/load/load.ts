import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { outputOf } from '../child.ts';
import { type Cores, type Machine, onCores } from '../machine.ts';

/** Requests that are sent over and over on each of some connections. */
export interface Load {
  /** Read or update the users 0 up to `users`, or create new ones. */
  readonly operation: 'read' | 'create' | 'update';
  readonly users: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
}

const codec = t.type({ seconds: t.number, requests: t.number, failed: t.number, p50: t.number, p99: t.number });

/** What a load saw: times in milliseconds, apart from how long it lasted. */
export type Seen = t.TypeOf<typeof codec>;

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// No two loads may create the same users.
let loads = 0;

const commands: Readonly<
  Record<Machine['generator'], (url: string, load: Load, seconds: number, tag: string) => readonly string[]>
> = {
  wrk: (url, { operation, users, headers, connections }, seconds, tag) => [
    ...['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script('wrk.lua'), url, '--'],
    ...[operation, String(users), tag, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)],
  ],
  autocannon: (url, load, seconds, tag) => [
    process.execPath,
    script('autocannon.js'),
    JSON.stringify({ url, ...load, seconds, tag }),
  ],
};

/**
 * Sends a load to a server for some whole seconds. Rejects when a single request was not answered with a success: the
 * figures of a server that refuses say nothing.
 */
export const send = async (
  machine: Machine,
  url: string,
  load: Load,
  seconds: number,
  cores: Cores = 'load',
): Promise<Seen> => {
  const tag = `load${loads++}-`;
  const command = commands[machine.generator](url, load, seconds, tag);
  const output = await outputOf(onCores(machine, cores, command), { patience: (seconds + 60) * 1_000 });
  const seen = codec.decode(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
  if (isLeft(seen)) throw new Error('the load generator said something else than its figures');
  const { failed, requests } = seen.right;
  if (failed > 0 || requests === 0) throw new Error(`${failed} of ${requests} requests (${load.operation}) failed`);
  return seen.right;
};
