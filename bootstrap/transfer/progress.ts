/** Shows a person how far a transfer has come. */
export interface Progress {
  /** How much is done by now: of `total`, where that is known. */
  at(done: number, users: number): void;
  end(): void;
}

const silent: Progress = { at: () => undefined, end: () => undefined };

/**
 * A bar on standard error where that is a terminal, and nothing elsewhere. `total` is what will be done in the end;
 * null when nobody knows it, and users are only counted.
 */
export const showProgress = async (verb: string, total: number | null): Promise<Progress> => {
  if (!process.stderr.isTTY) return silent;
  const { SingleBar, Presets } = await import('cli-progress');
  const known = `${verb} {bar} {percentage}% | {users} users | {duration_formatted}, {eta_formatted} left`;
  const format = total === null ? `${verb} {users} users | {duration_formatted}` : known;
  const bar = new SingleBar({ format, hideCursor: true, etaBuffer: 200 }, Presets.shades_classic);
  bar.start(total ?? 0, 0, { users: 0 });
  return { at: (done, users) => bar.update(done, { users }), end: () => bar.stop() };
};
