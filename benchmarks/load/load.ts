import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { outputOf } from '../child.ts';
import { type Cores, type Machine, onCores } from '../machine.ts';

/** Requests that are sent continuously on a number of connections. */
export interface Load {
  /** Read or update the users 0 to `users` - 1, or create new ones. */
  readonly operation: 'read' | 'create' | 'update';
  readonly users: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
}

const codec = t.type({ seconds: t.number, requests: t.number, failed: t.number, p50: t.number, p99: t.number });

/** The result of a load: `seconds` in seconds, latencies in milliseconds. */
export type LoadResult = t.TypeOf<typeof codec>;

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// Numbered, so that two loads never create the same users.
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

/** Sends a load to a server for some seconds, of which requests may fail. */
export const sendDespiteFailures = async (
  machine: Machine,
  url: string,
  load: Load,
  seconds: number,
  cores: Cores = 'load',
): Promise<LoadResult> => {
  const tag = `load${loads++}-`;
  const command = commands[machine.generator](url, load, seconds, tag);
  const output = await outputOf(onCores(machine, cores, command), { timeoutMs: (seconds + 60) * 1_000 });
  const result = codec.decode(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
  if (isLeft(result)) throw new Error('the output of the load generator is not valid');
  return result.right;
};

/** Sends a load to a server for some seconds. Rejects if a request failed, because figures would be meaningless. */
export const send: typeof sendDespiteFailures = async (machine, url, load, seconds, cores) => {
  const result = await sendDespiteFailures(machine, url, load, seconds, cores);
  const { failed, requests } = result;
  if (failed > 0 || requests === 0) throw new Error(`${failed} of ${requests} requests (${load.operation}) failed`);
  return result;
};
