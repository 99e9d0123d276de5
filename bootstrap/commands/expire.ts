import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { age } from '../../adapters/kit/option-codecs.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { administrator as by } from '../../application/administration/administrator.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { isInactive } from '../../domain/user-state.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { CommandError } from './command-errors.ts';
import { type Command, UsageError } from './command-line.ts';
import { eachUser, retryWhileUnavailable, showProgress } from './long-runs.ts';
import { withTransfer } from './transfer.ts';

/**
 * Deletes the users who are inactive, whether the service runs or not. A repeated run goes on where an interrupted one
 * ended, because the deleted ones are not listed any more.
 */
export const expire: Command = async ({ values, positionals: [config, ...others] }) => {
  if (others.length > 0) throw new UsageError('expire takes one configuration file');
  const duration = age.decode(values.inactive);
  if (isLeft(duration)) throw new UsageError(`--inactive takes ${age.name}`);
  const { 'dry-run': dryRun = false } = values;
  return withTransfer(config, { readOnly: dryRun }, async (transfer) => {
    const { activity } = transfer.configuration;
    if (activity === undefined || activity.since === null) {
      const message = 'is required: the date from which it is recorded when passwords were right, such as 2026-12-01';
      throw new ConfigurationError(transfer.file, [{ path: 'activity.since', message }]);
    }
    // The password may have been right so much later than the stored time.
    const inactive = { before: systemClock.now() - duration.right - activity.precision, recordedSince: activity.since };
    const isOver = (user: User): boolean => isInactive(user, inactive);
    let [expired, contended] = [0, 0];
    /** The lines about damaged records. */
    const unreadable: string[] = [];
    const end = async ({ email }: User): Promise<void> => {
      const message = { type: 'EndUser', by, key: keyOf(email.address), reason: 'inactive', isOver } as const;
      const outcome = await retryWhileUnavailable(() => transfer.commands.dispatch(message));
      if (isRight(outcome) && outcome.right) expired++;
      if (isLeft(outcome) && outcome.left.code === 'contended') contended++;
    };
    const count = async (): Promise<void> => void expired++;
    const progress = await showProgress('expired', null);
    try {
      await eachUser(transfer, { command: 'expire', inactive }, dryRun ? count : end, (page) => {
        for (const { record, message } of page.unreadable ?? []) unreadable.push(`FAIL  ${record}: ${message}\n`);
        progress.update(expired, expired);
      });
    } finally {
      progress.end();
      for (const line of unreadable) process.stdout.write(line);
      process.stdout.write(`ok    ${dryRun ? 'would be deleted' : 'deleted'}: ${expired}\n`);
    }
    if (unreadable.length > 0)
      throw new CommandError(`damaged records were left out: ${unreadable.length}; restore or delete them`);
    if (contended > 0) throw new CommandError(`left out, because they kept changing: ${contended}; run it again`);
  });
};
