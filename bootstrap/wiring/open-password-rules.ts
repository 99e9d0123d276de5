import type { Blocklist } from '../../adapters/password-rules/blocklist.ts';
import type { StrengthEstimator } from '../../adapters/password-rules/strength-estimator.ts';
import type { PasswordRules } from '../../application/passwords/password-rules.ts';
import type { Log } from '../../application/ports/log.ts';
import type { KnownPasswords } from '../../application/ports/password-quality.ts';
import { reasonOf } from '../configuration/files.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';

/** The rules of new passwords, and what they use. */
export interface OpenedPasswordRules {
  readonly rules: PasswordRules | null;
  /** Null without a list. */
  readonly known: KnownPasswords | null;
  /** Reads the list again, and logs the result. After a failure the former list is kept. Never rejects. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

const withoutRules: OpenedPasswordRules = {
  rules: null,
  known: null,
  reload: async () => undefined,
  close: async () => undefined,
};

/** Runs `work` once at a time; calls during a run share the next one. */
const oneAtATime = (work: () => Promise<void>): (() => Promise<void>) => {
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      last = work();
      return last;
    });
    return next;
  };
};

const logSize = ({ size: { passwords, skipped, bytes } }: Blocklist, startedMs: number, log: Log): void => {
  const fields = { passwords, skippedLines: skipped, bytes, durationMs: Math.round(performance.now() - startedMs) };
  if (skipped > 0) log.warn(fields, 'the list of known passwords has lines that are no passwords');
  else log.info(fields, 'the list of known passwords was read');
};

/** Reads the list. Throws a ConfigurationError if it can't be read. */
const openBlocklist = async (path: string, log: Log): Promise<{ list: Blocklist; reload: () => Promise<void> }> => {
  const { Blocklist, UnusableList } = await import('../../adapters/password-rules/blocklist.ts');
  const messageOf = (error: unknown): string => (error instanceof UnusableList ? error.message : reasonOf(error));
  const startedMs = performance.now();
  const list = await Blocklist.open(path).catch((error: unknown) => {
    const problem = { path: 'passwordRules.blocklist', message: messageOf(error) };
    throw new ConfigurationError('the configuration', [problem]);
  });
  logSize(list, startedMs, log);
  const reload = async (): Promise<void> => {
    const startedMs = performance.now();
    try {
      await list.reload();
      logSize(list, startedMs, log);
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the list of known passwords cannot be read; the former list is kept');
    }
  };
  return { list, reload: oneAtATime(reload) };
};

const openStrength = async (minScore: number | null, log: Log): Promise<StrengthEstimator | null> => {
  // Every password has a score of at least 0.
  if (minScore === null || minScore === 0) return null;
  const { StrengthEstimator } = await import('../../adapters/password-rules/strength-estimator.ts');
  return new StrengthEstimator(log);
};

/** Opens what the block `passwordRules` names; without the block nothing is loaded. */
export const openPasswordRules = async (
  { passwordRules }: Pick<Configuration, 'passwordRules'>,
  log: Log,
): Promise<OpenedPasswordRules> => {
  if (passwordRules === null) return withoutRules;
  const { blocklist, minScore } = passwordRules;
  const { PasswordRules } = await import('../../application/passwords/password-rules.ts');
  const opened = blocklist === null ? null : await openBlocklist(blocklist, log);
  const strength = await openStrength(minScore, log);
  return {
    rules: new PasswordRules(passwordRules, opened?.list ?? null, strength),
    known: opened?.list ?? null,
    reload: opened?.reload ?? withoutRules.reload,
    close: async () => strength?.close(),
  };
};
