// Preloaded into a service under test, with --expose-gc: tells on standard error, at SIGUSR2, how much memory is in use
// after a collection, the most that was ever resident (in bytes), and the processor time spent so far (in microseconds).
process.on('SIGUSR2', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(
    `\nmemory ${heapUsed + external} peak ${maxRSS * 1024} processor ${userCPUTime + systemCPUTime}\n`,
  );
});
