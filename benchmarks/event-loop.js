// Preloaded into a service: at SIGUSR2 it tells on standard error how long its event loop stood still at most since the
// last time, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const resolution = 1;

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  process.on('SIGUSR2', () => {
    process.stderr.write(`\nlongest pause ${delays.max / 1e6 - resolution}\n`);
    delays.reset();
  });
}
