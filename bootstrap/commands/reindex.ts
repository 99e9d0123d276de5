import { isLeft } from 'fp-ts/lib/Either.js';
import { administrator } from '../../application/administration/administrator.ts';
import type { MissingName, ReindexUser } from '../../application/administration/reindex-user.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';
import { CommandError } from './command-errors.ts';
import { type Arguments, type Command, programName, UsageError } from './command-line.ts';
import { eachUser, type Progress, retryWhileUnavailable, showProgress } from './long-runs.ts';
import { type Transfer, withTransfer } from './transfer.ts';

/** What one of the commands gives to users. */
interface Work {
  readonly command: 'ids' | 'reindex';
  readonly wanted: ReindexUser['wanted'];
  /** What the users have afterwards. */
  readonly done: string;
  /** What to do about a user who does not get it; undefined if another run may help. */
  readonly remedyOf: (reason: MissingName, user: User) => string | undefined;
}

const described = ({ code, errors = [], holder }: MissingName): string => {
  const field = errors[0]?.path ?? 'id';
  if (holder !== undefined) return `${field}: belongs to ${holder}`;
  return errors.length === 0 ? code : errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
};

/** Passes over all users until one pass finds nothing to write: a user whose address changes meanwhile can escape a pass. */
class Reindexing {
  /** The lines about users who lack something, and damaged records. */
  private readonly reported = new Set<string>();
  private readonly remedies = new Set<string>();
  /** The most users of a pass so far. */
  private furthest = 0;
  /** In the present pass. */
  private users = 0;
  private failed = 0;
  private unreadable = 0;
  private written = 0;

  constructor(
    private readonly transfer: Transfer,
    private readonly work: Work,
    private readonly progress: Progress,
  ) {}

  /** Resolves with the number of users. Prints those who lack something, and throws CommandError if there are some. */
  async run(): Promise<number> {
    try {
      do await this.pass();
      while (this.written > 0);
    } finally {
      // Only then, because a terminal would show the lines within the progress bar.
      this.progress.end();
      for (const line of this.reported) process.stdout.write(line);
    }
    const { failed, unreadable, work } = this;
    if (unreadable > 0) throw new CommandError(`damaged records were left out: ${unreadable}; restore or delete them`);
    if (failed > 0) {
      const remedies = [...this.remedies].toSorted().join('; ');
      const again = `run ${programName()} ${work.command} again`;
      const advice = remedies === '' ? again : `${remedies}, and ${again}`;
      throw new CommandError(`not done for ${failed} of ${this.users} users; ${advice}`);
    }
    return this.users;
  }

  private async pass(): Promise<void> {
    this.users = this.failed = this.unreadable = this.written = 0;
    this.remedies.clear();
    const { command } = this.work;
    await eachUser(
      this.transfer,
      { command },
      (user) => this.reindex(user),
      ({ users, unreadable = [] }) => {
        for (const { record, message } of unreadable) this.report(String(record), message);
        this.unreadable += unreadable.length;
        this.users += users.length;
        this.furthest = Math.max(this.furthest, this.users);
        this.progress.update(this.furthest, this.users);
      },
    );
  }

  private async reindex(user: User): Promise<void> {
    const { wanted, remedyOf } = this.work;
    const { address } = user.email;
    const message = { type: 'ReindexUser', by: administrator, key: keyOf(address), wanted } as const;
    const outcome = await retryWhileUnavailable(() => this.transfer.commands.dispatch(message));
    if (isLeft(outcome)) return;
    const { isWritten, missing } = outcome.right;
    if (isWritten) this.written++;
    // A user who was deleted needs nothing, and one whose address has changed is found by the next pass.
    const reasons = missing.filter(({ code }) => code !== 'user_not_found');
    if (reasons.length === 0) return;
    this.failed++;
    for (const reason of reasons) {
      this.report(address, described(reason));
      const remedy = remedyOf(reason, user);
      if (remedy !== undefined) this.remedies.add(remedy);
    }
  }

  private report(address: string, reason: string): void {
    this.reported.add(`FAIL  ${address}: ${reason}\n`);
  }
}

const commandOf =
  (work: Work): Command =>
  async ({ positionals: [config, ...others] }: Arguments) => {
    if (others.length > 0) throw new UsageError(`${work.command} takes one configuration file`);
    const requires = ({ users }: Configuration, file: string): void => {
      if (work.wanted === 'id' && !users.ids)
        throw new ConfigurationError(file, [{ path: 'users.ids', message: 'expected true' }]);
    };
    return withTransfer(config, { readOnly: false, requires }, async (transfer) => {
      transfer.requireListing();
      const progress = await showProgress('checked', process.stderr.isTTY ? await transfer.countUsers() : null);
      const users = await new Reindexing(transfer, work, progress).run();
      process.stdout.write(`ok    ${work.done}: ${users}\n`);
    });
  };

/**
 * Gives an id to every user who has none, whether the service runs or not. A repeated run checks all users again, and
 * writes only those who lack something.
 */
export const giveIds = commandOf({
  command: 'ids',
  wanted: 'id',
  done: 'users with an id',
  remedyOf: ({ code }, { id }) => {
    if (code !== 'id_taken' && code !== 'invalid_properties') return undefined;
    if (id === undefined) return 'give each another id with PATCH /users';
    return 'repeat in PATCH /users the id that a user has, which removes the property id';
  },
});

/**
 * Gives every user the names that the configuration asks for, whether the service runs or not. A repeated run checks all
 * users again, and writes only those whose names differ.
 */
export const reindex = commandOf({
  command: 'reindex',
  wanted: 'names',
  done: 'users with all names',
  remedyOf: ({ code }) => {
    if (code === 'property_taken') return 'change the value of one of the two users';
    return code === 'invalid_properties' ? 'change each value that no user can have' : undefined;
  },
});
