import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder of `.eml` files, readable by their owner only. A reader never sees a part of a mail. */
export class MailFolder {
  private latest = 0;
  private written = 0;

  constructor(private readonly directory: string) {}

  /** Adds a mail. Resolves when it is on the disk under its name; throws the error of the file system. */
  async add(content: Buffer): Promise<void> {
    const name = this.nextName();
    const unfinished = await this.writeHidden(name, content);
    try {
      await rename(unfinished, join(this.directory, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /** Writes a file and removes it; throws the error of the file system. */
  async probe(): Promise<void> {
    await rm(await this.writeHidden(this.nextName(), Buffer.from('writable\n')));
  }

  /** Made for each file, so that the outbox survives that somebody removes its folder to empty it. */
  private async writeHidden(name: string, content: Buffer): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const path = join(this.directory, `.${name}.tmp`);
    try {
      await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return path;
  }

  /** Names sort in the order of this process's mails; the random end keeps several processes apart. */
  private nextName(): string {
    this.latest = Math.max(this.latest, Date.now());
    this.written += 1;
    const time = new Date(this.latest).toISOString().replaceAll(':', '');
    return `${time}-${String(this.written).padStart(9, '0')}-${randomBytes(6).toString('hex')}.eml`;
  }
}
