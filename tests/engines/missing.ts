const missing = new Map<string, string>();

const report = (): void => {
  const lines = [...missing.values()].map((line) => `  ${line}\n`).join('');
  process.stderr.write(`\nSKIPPED: tests that need a real engine did not run.\n${lines}`);
};

/** Notes that suites were skipped; the last lines of the run say so, after the report of the tests. */
export const noteMissing = (engine: string, variable: string, reason: string): void => {
  if (missing.size === 0) process.once('exit', report);
  missing.set(engine, `${engine}: start Docker, or set ${variable} (${reason.replaceAll('\n', ' ')})`);
};
