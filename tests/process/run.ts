import type { ChildProcess } from 'node:child_process';

/** A process of the program, with its output. */
export class Run {
  stdout = '';
  stderr = '';
  /** What stderr wrote last, and the end of what it wrote before. Traced modules are megabytes, too much to search. */
  latestStderr = '';
  /** The exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  private readonly watchers = new Set<() => void>();

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      for (const look of this.watchers) look();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.latestStderr = this.latestStderr.slice(-1_000) + text;
      for (const look of this.watchers) look();
    });
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  }

  /** Resolves when the output satisfies a condition; rejects if the process ends first. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!holds()) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      this.ended.then((end) => {
        if (holds()) resolve();
        else reject(new Error(`the process ended with ${end}: ${this.stderr}`));
      });
      look();
    });
  }

  /** The JSON objects of the log. Throws if a line is not JSON. */
  get log(): readonly Record<string, unknown>[] {
    return (
      this.stdout
        .split('\n')
        // The text after the last line break is an incomplete line.
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    );
  }
}
