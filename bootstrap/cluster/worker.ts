import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { healthOf } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import { exitStatus } from '../commands/command-line.ts';
import type { Configuration } from '../configuration/index.ts';
import type { PublicService } from '../service/public-service.ts';
import { startPublicService } from '../service.ts';

const health = t.type({ healthy: t.boolean, message: t.string });

const primaryMessage = t.union([
  t.type({ kind: t.literal('stop') }),
  t.type({ kind: t.literal('reload') }),
  t.type({ kind: t.literal('check'), id: t.number, component: t.string }),
  t.type({ kind: t.literal('metrics'), id: t.number }),
]);

const workerMessage = t.union([
  t.type({ kind: t.literal('listening'), url: t.string, components: t.array(t.string), reloads: t.boolean }),
  t.type({ kind: t.literal('health'), id: t.number, health }),
  t.type({ kind: t.literal('metrics'), id: t.number, metrics: t.array(t.object) }),
]);

/** A message from the primary to a worker. */
export type PrimaryMessage = t.TypeOf<typeof primaryMessage>;
/** A message from a worker to the primary. */
export type WorkerMessage = t.TypeOf<typeof workerMessage>;
/** A request of the primary, without the id that the response repeats. */
export type WorkerRequest = { readonly kind: 'check'; readonly component: string } | { readonly kind: 'metrics' };

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

const answer = async (service: PublicService, request: Extract<PrimaryMessage, { id: number }>): Promise<void> => {
  const { id } = request;
  if (request.kind === 'metrics') return send({ kind: 'metrics', id, metrics: [...(await service.metrics())] });
  const component = [...service.components, service.mailer, service.readiness].find(
    ({ name }) => name === request.component,
  );
  const health = component === undefined ? { healthy: false, message: 'unknown component' } : await healthOf(component);
  send({ kind: 'health', id, health });
};

/** Serves requests as one process of a cluster, until the primary tells it to stop or ends. */
export const runWorker = async (configuration: Configuration, log: Log): Promise<void> => {
  const service = await startPublicService(configuration, log);
  const stop = async (): Promise<void> => {
    await service.stop();
    process.exit(exitStatus.done);
  };
  process.on('message', (received) => {
    const message = decodePrimaryMessage(received);
    if (message === undefined) return;
    if (message.kind === 'stop') void stop();
    else if (message.kind === 'reload') void service.reload();
    else void answer(service, message);
  });
  process.once('disconnect', () => void stop());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const { url, components, reloads } = service;
  send({ kind: 'listening', url, components: components.map(({ name }) => name), reloads });
};
