import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packable } from '../process/packed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'examples/mariadb-store');

/** Runs the commands of a document in a shell, starting in an empty folder. */
export class DocumentShell {
  readonly home = mkdtempSync(join(tmpdir(), 'latchkey-document-'));
  private folder = this.home;
  private readonly running: ChildProcess[] = [];
  private readonly environment: Record<string, string | undefined> = {
    ...process.env,
    LATCHKEY: root,
    LATCHKEY_PACKED: packable,
    // The clone is already built. npm 12 runs no scripts of dependencies either.
    npm_config_ignore_scripts: 'true',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };

  /** The working directory of the next command. */
  get directory(): string {
    return this.folder;
  }

  set(name: string, value: string): void {
    this.environment[name] = value;
  }

  /** Copies a file of the example to the working directory. */
  write(file: string): void {
    cpSync(join(example, file), join(this.folder, file), { recursive: true });
  }

  /** Runs commands. Keeps their working directory and new variables for the next ones. */
  run(commands: string): string {
    const mark = '=== the shell is now in ';
    const packing = commands.replace('npm pack "$LATCHKEY"', 'npm pack "$LATCHKEY_PACKED"');
    const [output = '', rest = ''] = this.shell(`${packing}\nprintf '\\n%s%s\\n' '${mark}' "$PWD"; env -0`).split(mark);
    const [directory = this.folder, ...variables] = rest.split(/\n|\0/);
    this.folder = directory;
    for (const [name = '', value = ''] of variables.map((variable) => variable.split('='))) {
      if (this.environment[name] === undefined) this.set(name, value);
    }
    return output;
  }

  /** Starts a command that runs until `dispose`. Resolves when it has printed `sign`. */
  start(command: string, sign: string): Promise<string> {
    const child = spawn('bash', ['-c', `exec ${command}`], {
      cwd: this.folder,
      env: this.environment,
      // In a process group with its children, so that all can be signalled.
      detached: true,
    });
    this.running.push(child);
    return new Promise((resolve, reject) => {
      let written = '';
      const read = (text: string): void => {
        written += text;
        if (written.includes(sign)) resolve(written);
      };
      child.stdout.setEncoding('utf8').on('data', read);
      child.stderr.setEncoding('utf8').on('data', read);
      child.once('exit', (status) => reject(new Error(`${command} ended with ${status}: ${written}`)));
    });
  }

  async dispose(): Promise<void> {
    for (const child of this.running.reverse()) {
      if (child.exitCode !== null || child.pid === undefined) continue;
      const ended = new Promise((resolve) => child.once('close', resolve));
      process.kill(-child.pid, 'SIGTERM');
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true });
  }

  private shell(script: string): string {
    const run = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: this.folder,
      env: this.environment,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (run.status !== 0) throw new Error(`${script}\nended with ${run.status}:\n${run.stdout}\n${run.stderr}`);
    return run.stdout;
  }
}
