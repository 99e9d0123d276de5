import { dirname, resolve } from 'node:path';
import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type Health, healthOf } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import { exitStatus } from '../commands/command-line.ts';
import { decodeConfiguration, type ReadConfiguration } from '../configuration/index.ts';
import { openLog } from '../log-output.ts';
import { configurationProblem } from '../reload/configuration-reload.ts';
import type { Generation } from '../service/generation.ts';
import type { PublicService } from '../service/public-service.ts';
import { startPublicService } from '../service.ts';
import { logBugs } from '../unexpected-errors.ts';

const health = t.type({ healthy: t.boolean, message: t.string });

const primaryMessage = t.union([
  t.type({ kind: t.literal('start'), document: t.unknown }),
  t.type({ kind: t.literal('stop') }),
  t.type({ kind: t.literal('prepare'), id: t.number, document: t.unknown }),
  t.type({ kind: t.literal('use'), id: t.number }),
  t.type({ kind: t.literal('discard') }),
  t.type({ kind: t.literal('check'), id: t.number, component: t.string }),
  t.type({ kind: t.literal('metrics'), id: t.number }),
]);

const workerMessage = t.union([
  t.type({ kind: t.literal('listening'), url: t.string, components: t.array(t.string) }),
  t.type({
    kind: t.literal('prepared'),
    id: t.number,
    problem: t.union([t.string, t.undefined]),
    components: t.array(t.string),
  }),
  t.type({ kind: t.literal('used'), id: t.number }),
  t.type({ kind: t.literal('health'), id: t.number, health }),
  t.type({ kind: t.literal('metrics'), id: t.number, metrics: t.array(t.object) }),
]);

/** A message from the primary to a worker. */
export type PrimaryMessage = t.TypeOf<typeof primaryMessage>;
/** A message from a worker to the primary. */
export type WorkerMessage = t.TypeOf<typeof workerMessage>;
/** A request of the primary, without the id that the response repeats. */
export type WorkerRequest = { readonly kind: 'check'; readonly component: string } | { readonly kind: 'metrics' };

/** A step of a reload, without its id. */
export type ReloadRequest = { readonly kind: 'prepare'; readonly document: unknown } | { readonly kind: 'use' };

// Node.js sends messages of its own on the same channel; they decode to undefined.
const decoder =
  <Message>(codec: t.Type<Message, unknown, unknown>) =>
  (message: unknown): Message | undefined => {
    const decoded = codec.decode(message);
    return isRight(decoded) ? decoded.right : undefined;
  };

const decodePrimaryMessage = decoder(primaryMessage);
export const decodeWorkerMessage = decoder(workerMessage);

const send = (message: WorkerMessage): void => {
  // The primary may have ended.
  if (process.connected) process.send?.(message);
};

const namesOf = ({ components }: Generation): string[] => components.map(({ name }) => name);

/** A worker that serves, and the generation that it has opened for a reload. */
class Worker {
  private prepared: Generation | undefined;
  /** The last request to open one, as long as the primary waits for it. */
  private wanted: number | undefined;

  constructor(
    private readonly service: PublicService,
    private readonly decode: (document: unknown) => Promise<ReadConfiguration>,
    private readonly file: string,
  ) {}

  async handle(message: PrimaryMessage): Promise<void> {
    const { service } = this;
    if (message.kind === 'stop') await this.stop();
    else if (message.kind === 'prepare') send({ kind: 'prepared', id: message.id, ...(await this.prepare(message)) });
    else if (message.kind === 'discard') await this.discard();
    else if (message.kind === 'metrics')
      send({ kind: 'metrics', id: message.id, metrics: [...(await service.metrics())] });
    else if (message.kind === 'check')
      send({ kind: 'health', id: message.id, health: await this.check(message.component) });
    else if (message.kind === 'use' && this.prepared !== undefined) {
      service.replace(this.prepared);
      this.prepared = undefined;
      send({ kind: 'used', id: message.id });
    }
  }

  /** Tells the primary that requests are served. */
  listening(): void {
    const { url, generation } = this.service;
    send({ kind: 'listening', url, components: namesOf(generation) });
  }

  async stop(): Promise<void> {
    await this.discard();
    await this.service.stop();
    process.exit(exitStatus.done);
  }

  /** Opens the next generation. Resolves with what is wrong, undefined if it is open, and with its components. */
  private async prepare({ id, document }: { readonly id: number; readonly document: unknown }) {
    this.wanted = id;
    try {
      const { configuration } = await this.decode(document);
      const next = await this.service.open(configuration);
      if (this.wanted === id) {
        const former = this.prepared;
        this.prepared = next;
        await former?.discard();
        return { problem: undefined, components: namesOf(next) };
      }
      await next.discard();
      return { problem: 'the primary no longer waits', components: [] };
    } catch (error) {
      return { problem: await configurationProblem(error, this.file), components: [] };
    }
  }

  private async discard(): Promise<void> {
    const { prepared } = this;
    this.wanted = undefined;
    this.prepared = undefined;
    await prepared?.discard();
  }

  private async check(name: string): Promise<Health> {
    const { components, mailer, readiness } = this.service.generation;
    const component = [...components, mailer, readiness].find((one) => one.name === name);
    return component === undefined ? { healthy: false, message: 'unknown component' } : healthOf(component);
  }
}

/** Serves requests as one process of a cluster, until the primary tells it to stop or ends. */
export const runWorker = async (file: string): Promise<void> => {
  const decode = async (document: unknown, log: Log) =>
    decodeConfiguration(file, document, log, resolve(dirname(file)));
  let start: (document: unknown) => void = () => undefined;
  const started = new Promise<unknown>((given) => {
    start = given;
  });
  const serving = started.then(async (document) => {
    const { configuration } = await decode(document, await openLog('info'));
    const log = await openLog(configuration.logging.level);
    logBugs(log);
    return new Worker(await startPublicService(configuration, log), (next) => decode(next, log), file);
  });
  process.on('message', (received) => {
    const message = decodePrimaryMessage(received);
    if (message?.kind === 'start') start(message.document);
    else if (message !== undefined)
      void serving.then(
        (worker) => worker.handle(message),
        () => undefined,
      );
  });
  const worker = await serving;
  process.once('disconnect', () => void worker.stop());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  worker.listening();
};
