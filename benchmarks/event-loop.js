// Preloaded into a service: on SIGUSR2, writes the longest event loop delay since the previous signal to standard
// error, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const resolutionMs = 1;

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  process.on('SIGUSR2', () => {
    process.stderr.write(`\nlongest delay ${delays.max / 1e6 - resolutionMs}\n`);
    delays.reset();
  });
}
