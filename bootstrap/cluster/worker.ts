import { healthOf } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import { exitStatus } from '../commands/exit-status.ts';
import type { Configuration } from '../configuration/index.ts';
import type { PublicService } from '../service.ts';
import { startPublicService } from '../wiring/open-adapters.ts';
import { type FromFirst, type FromWorker, readFromFirst } from './messages.ts';

const say = (message: FromWorker): void => {
  // The first process may have ended a moment ago; then nobody is left to be told.
  if (process.connected) process.send?.(message);
};

const answer = async (service: PublicService, message: Exclude<FromFirst, { kind: 'stop' }>): Promise<void> => {
  const { id } = message;
  if (message.kind === 'readings') return say({ kind: 'readings', id, readings: [...(await service.readings())] });
  const component = [...service.components, service.mailer].find(({ name }) => name === message.component);
  const health = component === undefined ? { healthy: false, message: 'is not known here' } : await healthOf(component);
  say({ kind: 'health', id, health });
};

/** Serves requests beside other processes, and does what the first one says. Ends when it says so, or is gone. */
export const runWorker = async (configuration: Configuration, log: Log): Promise<undefined> => {
  const service = await startPublicService(configuration, log);
  const stop = async (): Promise<void> => {
    await service.stop();
    process.exit(exitStatus.done);
  };
  process.on('message', (received) => {
    const message = readFromFirst(received);
    if (message === undefined) return;
    if (message.kind === 'stop') void stop();
    else void answer(service, message);
  });
  process.once('disconnect', () => void stop());
  // The terminal sends its signals to every process; the first one tells the others what to do.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  say({ kind: 'listening', url: service.url, components: service.components.map(({ name }) => name) });
};
