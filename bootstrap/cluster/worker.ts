import { healthOf } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import { exitStatus } from '../commands/command-line.ts';
import type { Configuration } from '../configuration/index.ts';
import type { PublicService } from '../service/public-service.ts';
import { startPublicService } from '../service.ts';
import { decodePrimaryMessage, type PrimaryMessage, type WorkerMessage } from './messages.ts';

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
  send({ kind: 'listening', url: service.url, components: service.components.map(({ name }) => name) });
};
