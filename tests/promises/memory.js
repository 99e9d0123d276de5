// Preloaded into a service under test, with --expose-gc: tells on standard error, at SIGUSR2, how much memory is in use
// after a collection.
process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`\nmemory ${heapUsed + external}\n`);
});
