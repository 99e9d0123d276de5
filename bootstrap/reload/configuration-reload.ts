import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { singleFlight } from '../../adapters/concurrency/shared-call.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import { reasonOf } from '../../application/fault.ts';
import type { Log } from '../../application/ports/log.ts';
import { CommandError } from '../commands/command-errors.ts';
import { readConfiguration } from '../configuration/configuration-file.ts';
import { ConfigurationError, decodeConfiguration, type ReadConfiguration } from '../configuration/index.ts';
import { withLines } from '../configuration/problem-lines.ts';
import { namingOf } from '../features/names-block.ts';
import type { RunningService } from '../service.ts';
import { withFixedOptions } from './fixed-options.ts';
import type { ReloadStatus } from './reload-status.ts';
import { reopenFiles } from './reopened-files.ts';

/** Identifies the present file at a path; empty where there is none. */
const versionOf = (path: string): string => {
  try {
    const file = statSync(path);
    return file.isFile() ? `${file.ino} ${file.size} ${file.mtimeMs} ${file.ctimeMs}` : '';
  } catch {
    return '';
  }
};

/** Whether there is a pipe at a path. False also if that cannot be found out, because reading it then fails with the reason. */
const isPipe = (path: string): boolean => {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
};

/** A file that cannot be read counts as changed whenever it is another one. */
const digestOf = async (path: string, version: string): Promise<string> => {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return version;
  }
};

/** Digests of files by their paths, without those that do not exist. */
type Digests = ReadonlyMap<string, string>;

/** Compares files by their contents, which are read again only if something about a file has changed. */
class FileContents {
  private known = new Map<string, { readonly version: string; readonly digest: string }>();

  async of(paths: Iterable<string>): Promise<Digests> {
    const next: typeof this.known = new Map();
    for (const path of new Set(paths)) {
      const version = versionOf(path);
      if (version === '') continue;
      const former = this.known.get(path);
      next.set(path, former?.version === version ? former : { version, digest: await digestOf(path, version) });
    }
    this.known = next;
    return new Map([...next].map(([path, { digest }]) => [path, digest]));
  }
}

const pollIntervalMs = 1_000;

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return isMapping(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
};

/** Why a configuration cannot be used, without its values. */
export const configurationProblem = async (error: unknown, file: string): Promise<string> => {
  if (error instanceof ConfigurationError) return (await withLines(error, file)).message;
  return error instanceof CommandError ? error.message : reasonOf(error);
};

/** Reads the configuration of a running service again. */
export class ConfigurationReload {
  private watching: NodeJS.Timeout | undefined;
  private service: Pick<RunningService, 'reload'> | undefined;
  /** The files at the last reload, whether it succeeded or not. */
  private known: string;
  private readonly contents = new FileContents();
  /** The contents that the service uses; undefined if they are not known. */
  private used: Promise<Digests | undefined> = Promise.resolve(undefined);

  /** Reads it, uses it where it is valid and has changed, and logs what happened. Never rejects. */
  readonly run = singleFlight(async () => {
    this.known = this.files();
    try {
      await this.reload();
    } catch (error) {
      this.status.record('failure');
      const reason = await configurationProblem(error, this.file);
      this.log.error({ reason }, 'the configuration cannot be reloaded; the former one is kept');
    }
  });

  /** `running` was just read, so that later changes are noticed. */
  constructor(
    private readonly file: string,
    private running: ReadConfiguration,
    private readonly status: ReloadStatus,
    private readonly log: Log,
  ) {
    this.known = this.files();
  }

  /** Reloads a service that has started; at once if `isStale`, because a signal came while it read its files. */
  start(service: Pick<RunningService, 'reload'>, isStale: boolean): void {
    this.service = service;
    this.watch();
    if (isStale) void this.run();
    // Only now, because reading large files again would delay the start.
    else if (this.files() === this.known) this.used = this.contents.of(this.named());
  }

  private async reload(): Promise<void> {
    const used = await this.used;
    // Before they are read, so that a later change is noticed.
    const present = await this.contents.of(this.named());
    const next = await this.read();
    if (isDeepStrictEqual(present, used) && isDeepStrictEqual(next.document, this.running.document)) {
      reopenFiles();
      this.status.record('success');
      this.log.info({}, 'the configuration has not changed');
      return;
    }
    const named = await this.contents.of(this.named(next));
    await this.service?.reload(next);
    this.running = next;
    this.used = Promise.resolve(new Map([...named].map(([path, digest]) => [path, present.get(path) ?? digest])));
    this.status.record('success');
    for (const warning of next.warnings) this.log.warn({}, warning);
    this.log.info({}, 'the configuration was reloaded');
    this.watch();
  }

  /** The configuration of the file, without what needs a restart. */
  private async read(): Promise<ReadConfiguration> {
    const { file, running, log } = this;
    // Waiting for its writer would hold every request.
    if (isPipe(file)) throw new CommandError('the configuration came from a pipe, which cannot be read again');
    const next = await readConfiguration(file, log);
    const isNaming = ({ configuration }: ReadConfiguration): boolean => namingOf(configuration) !== undefined;
    const names = isNaming(running) === isNaming(next) ? [] : ['properties', 'users', 'signUp'];
    const { document, changed } = withFixedOptions(running.document, next.document, names);
    if (changed.length === 0) return next;
    // Before the rest is found to be impossible without them.
    log.warn({ options: changed }, 'a change of these options needs a restart, and was left out of the reload');
    return decodeConfiguration(file, document, log, resolve(dirname(file)));
  }

  /** All that may be a path in a configuration, except the database and what the service writes. */
  private named({ document }: ReadConfiguration = this.running): readonly string[] {
    const { database: _, audit: __, ...others } = isMapping(document) ? document : {};
    return textsIn(others);
  }

  /** Identifies the file and all that it names. */
  private files(): string {
    return [this.file, ...this.named()].map(versionOf).join();
  }

  /** Reloads when the files have changed and stayed the same for a second, with `server.watch`. */
  private watch(): void {
    clearInterval(this.watching);
    if (!this.running.configuration.server.watch) return;
    let last = this.known;
    const poll = (): void => {
      const files = this.files();
      if (files === last && files !== this.known) void this.run();
      last = files;
    };
    this.watching = setInterval(poll, pollIntervalMs).unref();
  }
}
