// Preloaded into a service under test, with --expose-gc. On SIGUSR2 it writes to standard error: memory after a garbage
// collection and peak resident memory in bytes, and processor time in microseconds.
process.on('SIGUSR2', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(
    `\nmemory ${heapUsed + external} peak ${maxRSS * 1024} processor ${userCPUTime + systemCPUTime}\n`,
  );
});
