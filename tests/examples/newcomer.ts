import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'examples/postgres-store');

/** Somebody in an empty folder, with a checkout of the product, who types commands into a shell. */
export class Newcomer {
  readonly home = mkdtempSync(join(tmpdir(), 'latchkey-newcomer-'));
  private folder = this.home;
  private readonly running: ChildProcess[] = [];
  private readonly environment: Record<string, string | undefined> = {
    ...process.env,
    LATCHKEY: root,
    // The checkout is built already. And npm 12 runs no script of a dependency either.
    npm_config_ignore_scripts: 'true',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };

  /** The folder in which the next command runs. */
  get place(): string {
    return this.folder;
  }

  set(name: string, value: string): void {
    this.environment[name] = value;
  }

  /** Takes a file of the example over, as somebody who wrote it. */
  write(file: string): void {
    cpSync(join(example, file), join(this.folder, file), { recursive: true });
  }

  /** Runs commands as they are written, and stays where they lead. */
  type(commands: string): string {
    const mark = '=== the shell is now in ';
    const [output = '', rest = ''] = this.shell(`${commands}\nprintf '\\n%s%s\\n' '${mark}' "$PWD"; env -0`).split(
      mark,
    );
    const [place = this.folder, ...variables] = rest.split(/\n|\0/);
    this.folder = place;
    for (const [name = '', value = ''] of variables.map((variable) => variable.split('='))) {
      if (this.environment[name] === undefined) this.set(name, value);
    }
    return output;
  }

  /** Runs a command that goes on, until the newcomer leaves. Resolves when it has written this. */
  start(command: string, sign: string): Promise<string> {
    const child = spawn('bash', ['-c', `exec ${command}`], {
      cwd: this.folder,
      env: this.environment,
      // With whatever it starts in turn, as a terminal would signal it.
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

  async leave(): Promise<void> {
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
