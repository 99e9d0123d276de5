import { fileErrorReason } from '../../adapters/kit/small-file.ts';
import { Blocklist, UnusableList } from '../../adapters/password-rules/blocklist.ts';
import { StrengthEstimator } from '../../adapters/password-rules/strength-estimator.ts';
import { ListedPasswords } from '../../application/passwords/listed-passwords.ts';
import { noKnownPasswords, PasswordRules, unrated } from '../../application/passwords/password-rules.ts';
import type { Log } from '../../application/ports/log.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { ConfigurationError } from '../configuration/index.ts';
import type { Feature, FeatureContext } from './feature.ts';
import type { PasswordRulesBlock } from './password-rules-block.ts';

const logSize = ({ size: { passwords, skipped, bytes } }: Blocklist, startedMs: number, log: Log): void => {
  const fields = { passwords, skippedLines: skipped, bytes, durationMs: Math.round(performance.now() - startedMs) };
  if (skipped > 0) log.warn(fields, 'the list of known passwords has lines that are no passwords');
  else log.info(fields, 'the list of known passwords was read');
};

/** Reads the list. Throws a ConfigurationError if it can't be read. */
const openBlocklist = async (path: string, log: Log): Promise<Blocklist> => {
  const messageOf = (error: unknown): string =>
    error instanceof UnusableList ? error.message : fileErrorReason(error);
  const startedMs = performance.now();
  const list = await Blocklist.open(path).catch((error: unknown) => {
    const problem = { path: 'passwordRules.blocklist', message: messageOf(error) };
    throw new ConfigurationError('the configuration', [problem]);
  });
  logSize(list, startedMs, log);
  return list;
};

/** Null where passwords are not rated; every password has a score of at least 0. */
const openStrength = ({ minScore }: PasswordRulesBlock, log: Log) =>
  (minScore ?? 0) === 0 ? null : new StrengthEstimator(log);

/** The block `passwordRules`: rules of new passwords. */
export const open = async (
  block: PasswordRulesBlock,
  { configuration, adapters, log }: FeatureContext,
): Promise<Feature> => {
  const { blocklist, onCheck } = block;
  const list = blocklist === null ? undefined : await openBlocklist(blocklist, log);
  const strength = openStrength(block, log);
  const reports = list !== undefined && onCheck === 'event' && configuration.events !== undefined;
  return {
    api: { passwordTime: true },
    collaborators: { passwordRules: new PasswordRules(block, list ?? noKnownPasswords, strength ?? unrated) },
    ...(reports && {
      checkHelpers: ({ get }) => ({ listed: new ListedPasswords(list, get(OptimisticUpdate), adapters.clock, log) }),
    }),
    close: async () => strength?.close(),
  };
};
