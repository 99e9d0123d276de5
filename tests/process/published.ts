import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The packages in the project of a caller, linked from this clone. */
const packages = ['latchkey', 'testcontainers', '@types/node'];

/** A project in a temporary folder, with the published package installed. */
export class CallersProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-caller-'));

  constructor() {
    for (const name of packages) {
      const place = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(name === 'latchkey' ? root : join(root, 'node_modules', name), place);
    }
    this.write('package.json', '{"type":"module"}');
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** Runs Node.js in the folder until it exits. Throws its output if it fails. */
  node(args: readonly string[], environment: NodeJS.ProcessEnv = {}): { stdout: string; stderr: string } {
    return this.run(process.execPath, args, environment);
  }

  /** Runs any program in the same way. */
  run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const run = spawnSync(program, args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (run.status !== 0) throw new Error(`${run.stdout}${run.stderr}`);
    return run;
  }

  /** Type-checks a file and the declarations that it imports with strict options. Throws the errors of the compiler. */
  compile(name: string): void {
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023'];
    const checks = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', 'node'];
    this.node([join(root, 'node_modules/@typescript/native/bin/tsc'), ...options, ...checks, name]);
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true });
  }
}
