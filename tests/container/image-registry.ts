import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Run } from '../process/run.ts';

/** The registry of the project Distribution (the Debian package docker-registry), on this machine. */
export class ImageRegistry {
  private constructor(
    private readonly run: Run,
    /** Its host and port. The Docker engine needs no TLS for an address of this machine. */
    readonly host: string,
  ) {}

  /** Starts it with its data in a folder. Rejects if it ends, for example because the program is missing. */
  static async start(folder: string): Promise<ImageRegistry> {
    mkdirSync(folder);
    const configuration = {
      version: 0.1,
      storage: { filesystem: { rootdirectory: folder } },
      http: { addr: '127.0.0.1:0' },
    };
    // JSON is YAML.
    const file = join(folder, 'registry.yaml');
    writeFileSync(file, JSON.stringify(configuration));
    const run = new Run(spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'pipe', 'pipe'] }));
    const address = (): string | undefined => /listening on (127\.0\.0\.1:\d+)/.exec(run.stderr)?.[1];
    await run.until(() => address() !== undefined);
    return new ImageRegistry(run, address() ?? '');
  }

  async stop(): Promise<void> {
    this.run.child.kill('SIGTERM');
    await this.run.ended;
  }
}
