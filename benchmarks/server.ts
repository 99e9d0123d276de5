import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onExit } from './cleanup.ts';
import { type Cores, type Machine, onCores } from './machine.ts';

/** A Node.js server that logs a line of JSON when it listens: `{"msg":"listening","url":"http://…"}`. */
export interface Program {
  /** Arguments of `node`. */
  readonly args: readonly string[];
  /** Its working directory, which also contains its output. */
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly cores?: Cores;
}

/** Maximum time for a start or stop. */
const startStopTimeoutMs = 30_000;

/** Clock ticks of /proc per second: USER_HZ, a constant on Linux. */
const ticksPerSecond = 100;

const cpuSecondsOf = (pid: number): number => {
  // The fields after the name, which may contain spaces: utime and stime are the 14th and 15th of all (proc(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  return children.reduce((sum, child) => sum + cpuSecondsOf(Number(child)), own);
};

/** A server in a child process. */
export class Server {
  url = '';
  /** The address of its admin port; empty if it has none. */
  adminUrl = '';
  readonly stop: () => Promise<void>;
  private readonly ended: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    this.ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    this.stop = onExit(() => this.end());
  }

  /** Starts a program without waiting until it listens. */
  static spawn(machine: Machine, { args, folder, environment = {}, cores = 'server' }: Program): Server {
    // Files instead of pipes, so that reading the output costs no CPU time.
    const output = openSync(join(folder, 'stdout'), 'w');
    const errors = openSync(join(folder, 'stderr'), 'w');
    const env = { ...process.env, NODE_ENV: 'production', ...environment };
    const [command, rest] = onCores(machine, cores, [process.execPath, ...args]);
    const child = spawn(command, rest, { cwd: folder, env, stdio: ['ignore', output, errors] });
    closeSync(output);
    closeSync(errors);
    return new Server(child, folder);
  }

  /** Starts a program and waits until it listens. */
  static async start(machine: Machine, program: Program): Promise<Server> {
    const server = Server.spawn(machine, program);
    try {
      await server.listening();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Its standard error so far. */
  get errors(): string {
    return readFileSync(join(this.folder, 'stderr'), 'utf8');
  }

  /** CPU time of all its threads and child processes since their start, in seconds. */
  cpuSeconds(): number {
    const { pid } = this.child;
    return pid === undefined ? 0 : cpuSecondsOf(pid);
  }

  /** CPU time of the threads that it has now, in seconds: in nanoseconds (schedstat), not in hundredths like the above. */
  threadSeconds(): number {
    const tasks = `/proc/${this.child.pid}/task`;
    const times = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]);
    return times.reduce((sum, time) => sum + Number(time), 0) / 1e9;
  }

  /** Its resident memory, in bytes. */
  residentBytes(): number {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  }

  /** Its proportional memory: of pages that n processes share, such as those of Node.js itself, an nth. In bytes. */
  proportionalBytes(): number {
    const [, kibibytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  }

  /** Number of read system calls since its start. */
  readCalls(): number {
    const [, calls] = /^syscr: (\d+)$/m.exec(readFileSync(`/proc/${this.child.pid}/io`, 'utf8')) ?? [];
    return Number(calls);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private get isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private async listening(): Promise<void> {
    const until = performance.now() + startStopTimeoutMs;
    while (performance.now() < until && this.isRunning) {
      const line = readFileSync(join(this.folder, 'stdout'), 'utf8').match(/^.*"msg":"listening".*$/m)?.[0] ?? '';
      this.url = /"url":"([^"]+)"/.exec(line)?.[1] ?? '';
      this.adminUrl = /"admin":"([^"]+)"/.exec(line)?.[1] ?? '';
      if (this.url !== '') return;
      await sleep(5);
    }
    throw new Error(`the server did not start: ${this.errors.slice(-2_000)}`);
  }

  private async end(): Promise<void> {
    if (!this.isRunning) return;
    this.child.kill('SIGTERM');
    const killTimer = setTimeout(() => this.child.kill('SIGKILL'), startStopTimeoutMs);
    await this.ended;
    clearTimeout(killTimer);
  }
}
