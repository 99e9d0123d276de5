import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fillerBytes = 4096;

/** A small file system of its own, which a test can fill. It needs the permission to mount one. */
export class SmallDisk {
  private readonly filler: string;

  private constructor(readonly folder: string) {
    this.filler = join(folder, 'filler');
  }

  /** Undefined without the permission. */
  static async mount(mebibytes: number): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-disk-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
    if (mounted.status === 0) return new SmallDisk(folder);
    await rm(folder, { recursive: true });
    return undefined;
  }

  /** Takes the free space, except for some bytes at its end. */
  async fill(exceptBytes = 0): Promise<void> {
    for (;;) {
      try {
        await writeFile(this.filler, Buffer.alloc(fillerBytes, 1), { flag: 'a' });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        break;
      }
    }
    if (exceptBytes > 0) {
      const { size } = await stat(this.filler);
      await truncate(this.filler, size - exceptBytes);
    }
  }

  /** Gives the space back. */
  async free(): Promise<void> {
    await rm(this.filler, { force: true });
  }

  /** Lets nothing be written any more, or again, as the system does after an error of the disk and an operator after it. */
  remount(mode: 'ro' | 'rw'): void {
    const { status, stderr } = spawnSync('mount', ['-o', `remount,${mode}`, this.folder]);
    if (status !== 0) throw new Error(`${this.folder} is not remounted: ${stderr}`);
  }

  async unmount(): Promise<void> {
    spawnSync('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true });
  }
}
