import { setTimeout as sleep } from 'node:timers/promises';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { age } from '../../adapters/kit/option-codecs.ts';
import { administrator } from '../../application/administration/administrator.ts';
import { type Inactivity, isInactive } from '../../domain/activity.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { chosenFile } from '../configuration/configuration-file.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { CommandError, reportFailure } from './command-errors.ts';
import { type Command, exitStatus, UsageError } from './command-line.ts';
import { onInterrupt, openTransfer, pagesOf, retryWhileUnavailable, showProgress, type Transfer } from './transfer.ts';

/** How many users are deleted at once, unless the rate is lower. */
const maxAtOnce = 16;

interface Expiry {
  readonly inactive: Inactivity;
  readonly dryRun: boolean;
  /** The most users of a second. */
  readonly rate: number;
}

/** Deletes inactive users page by page, and counts them. */
class Expiration {
  private isStopping = false;
  private expired = 0;
  /** Those who signed in after they were listed, or were deleted by others. */
  private stayed = 0;
  private contended = 0;
  private unreadable = 0;

  constructor(
    private readonly transfer: Transfer,
    private readonly expiry: Expiry,
  ) {}

  /** Ends after the users that are being deleted. */
  stop(): void {
    this.isStopping = true;
  }

  /** Prints a summary also if it ends early. Throws CommandError if users are left. */
  async run(): Promise<void> {
    const { inactive, dryRun } = this.expiry;
    const progress = await showProgress('expired', null);
    try {
      for await (const { users, unreadable = [] } of pagesOf(this.transfer.queries, undefined, inactive)) {
        this.unreadable += unreadable.length;
        await (dryRun ? this.count(users) : this.deleteAll(users));
        if (this.isStopping) throw new CommandError('interrupted; run latchkey expire again for the other users');
        progress.update(this.expired, this.expired);
      }
    } finally {
      progress.end();
      process.stdout.write(`ok    ${dryRun ? 'would be deleted' : 'deleted'}: ${this.expired}\n`);
      if (this.stayed > 0) process.stdout.write(`skip  active or gone since they were listed: ${this.stayed}\n`);
    }
    if (this.unreadable > 0) throw new CommandError(`damaged records were left out: ${this.unreadable}`);
    if (this.contended > 0)
      throw new CommandError(`left out, because they kept changing: ${this.contended}; run it again`);
  }

  private async count(users: readonly User[]): Promise<void> {
    this.expired += users.length;
  }

  private async deleteAll(users: readonly User[]): Promise<void> {
    const { rate } = this.expiry;
    const atOnce = Math.min(maxAtOnce, rate);
    for (let start = 0; start < users.length && !this.isStopping; start += atOnce) {
      const batch = users.slice(start, start + atOnce);
      await Promise.all([sleep((batch.length * 1_000) / rate), ...batch.map((user) => this.delete(user))]);
    }
  }

  private async delete({ email }: User): Promise<void> {
    const { inactive } = this.expiry;
    const isOver = (user: User): boolean => isInactive(user, inactive);
    const key = keyOf(email.address);
    const message = { type: 'EndUser', by: administrator, key, reason: 'inactive', isOver } as const;
    const outcome = await retryWhileUnavailable(() => this.transfer.commands.dispatch(message));
    if (isRight(outcome) && outcome.right) this.expired++;
    else if (isLeft(outcome) && outcome.left.code === 'contended') this.contended++;
    else this.stayed++;
  }
}

/**
 * Deletes the users who are inactive, whether the service runs or not. A repeated run goes on where an interrupted one
 * ended, because the deleted ones are not listed any more.
 */
export const expire: Command = async ({ values, positionals: [config, ...others] }) => {
  if (others.length > 0) throw new UsageError('expire takes one configuration file');
  const duration = age.decode(values.inactive);
  if (isLeft(duration)) throw new UsageError(`--inactive takes ${age.name}`);
  const { rate = '100', 'dry-run': dryRun = false } = values;
  if (!/^[1-9]\d{0,5}$/.test(rate)) throw new UsageError('--rate takes a number of users');
  const file = chosenFile(config, process.env);
  try {
    const transfer = await openTransfer(file, dryRun);
    const ends: (() => unknown)[] = [() => transfer.close()];
    try {
      const { activity } = transfer.configuration;
      if (!transfer.canListUsers) throw new CommandError('the configured database cannot list its users');
      if (activity === null)
        throw new ConfigurationError(transfer.file, [
          { path: 'activity', message: 'is required: nobody knows who is inactive' },
        ]);
      const { precisionMs, recordedSince } = activity;
      if (recordedSince === null)
        throw new ConfigurationError(transfer.file, [
          { path: 'activity.since', message: 'is required: nobody knows since when it is recorded who is active' },
        ]);
      const inactive = {
        // The password may have been right so much later than the stored time.
        before: Date.now() - duration.right - precisionMs,
        recordedSince,
      };
      const expiration = new Expiration(transfer, { inactive, dryRun, rate: Number(rate) });
      ends.unshift(onInterrupt(() => expiration.stop()));
      await expiration.run();
      return exitStatus.done;
    } finally {
      for (const end of ends) await end();
    }
  } catch (error) {
    return reportFailure(error, { file: file.path });
  }
};
