import { createInterface } from 'node:readline/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import { personJson } from '../../adapters/http/admin/administration/person-json.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { administrator as by } from '../../application/administration/administrator.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import type { ErasedPerson } from '../../application/person/erase-person.ts';
import type { Person } from '../../application/person/gather-person.ts';
import { eventTypeIn } from '../../application/person/person-records.ts';
import { EmailAddress, keyOf } from '../../domain/email-address.ts';
import { UserId } from '../../domain/user-id.ts';
import { nameOfId, type UserKey } from '../../domain/user-name.ts';
import { chosenFile } from '../configuration/configuration-file.ts';
import type { Configuration } from '../configuration/index.ts';
import { personFeature } from '../features/administration-feature.ts';
import type { Feature, FeatureContext } from '../features/feature.ts';
import { tokenLimits } from '../features/recovery-block.ts';
import { open as openCodes } from '../features/verification-codes-feature.ts';
import { CommandError, reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';
import { openTransfer } from './transfer.ts';

/** The use cases, with the counters of the service. */
const openPerson = async (context: FeatureContext): Promise<readonly Feature[]> => {
  const { configuration, adapters, log } = context;
  const { throttle, recovery, email } = configuration;
  const attempts = throttle && (await openLimitedAttempts(adapters.store, throttle.limits, log));
  const tokens = recovery && (await openLimitedAttempts(adapters.store, tokenLimits(recovery), log));
  return [
    {
      ...personFeature(configuration),
      collaborators: {
        ...(attempts && { attempts }),
        ...(tokens && { tokenAttempts: new PrefixedAttempts('recovery', tokens) }),
      },
      close: async () => {
        await Promise.all([attempts?.close(), tokens?.close()]);
      },
    },
    ...(email?.codes ? [await openCodes(email.codes, context)] : []),
  ];
};

const keyIn = (who: string, { users }: Configuration): UserKey => {
  if (EmailAddress.is(who)) return keyOf(who);
  if (users.ids && UserId.is(who)) return nameOfId(who);
  throw new UsageError(users.ids ? 'expected an address or an id' : 'expected an address, because users have no ids');
};

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Asks somebody at a terminal to repeat whom to erase. A script is not asked. */
const confirm = async (who: string): Promise<void> => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`Everything about ${who} is removed for good. Write it again to go on: `);
    if (answer.trim() !== who) throw new CommandError('nothing was erased');
  } finally {
    terminal.close();
  }
};

type Counts = Omit<ErasedPerson, 'announcements' | 'elsewhere' | 'user'> & { readonly user: number };

const countsOf = ({ user, events, mails, requests, attempts }: Person): Counts => ({
  user: user === undefined ? 0 : 1,
  events: events.filter((event) => eventTypeIn(event) !== 'user.deleted').length,
  mails: mails.length,
  requests: requests.length,
  attempts: attempts.length,
});

const report = (verb: string, who: string, counts: Counts, elsewhere: readonly string[]): void => {
  const { user, events, mails, requests, attempts } = counts;
  print(
    `ok    ${who} ${verb}: user: ${user}, waiting events: ${events}, waiting mails: ${mails}, waiting requests: ${requests}, counts of wrong passwords and codes: ${attempts}`,
  );
  for (const line of elsewhere) print(`note  ${line}`);
};

/** Gathers or erases everything about a person, whether the service runs or not. */
export const person = async ({ values, positionals }: Arguments): Promise<number> => {
  const { erase = false, export: gathers = false, 'dry-run': dryRun = false } = values;
  const who = positionals.at(-1);
  if (who === undefined || positionals.length > 2) throw new UsageError('person takes an address or an id');
  if (erase === gathers) throw new UsageError('person needs either --export or --erase');
  if (dryRun && !erase) throw new UsageError('--dry-run needs --erase');
  const file = chosenFile(positionals.length === 2 ? positionals[0] : undefined, process.env);
  try {
    const { configuration, commands, queries, close } = await openTransfer(
      file,
      !erase || dryRun,
      false,
      false,
      openPerson,
    );
    try {
      const key = keyIn(who, configuration);
      if (gathers || dryRun) {
        const found = await queries.dispatch({ type: 'GatherPerson', by, key });
        if (isLeft(found)) throw new CommandError('the person cannot be read');
        if (gathers) print(personJson(found.right));
        else report('would be erased', who, countsOf(found.right), found.right.elsewhere);
        return exitStatus.done;
      }
      await confirm(who);
      const erased = await commands.dispatch({ type: 'ErasePerson', by, key });
      if (isLeft(erased)) throw new CommandError('others kept changing the user; run the command again');
      const { user, announcements, elsewhere, ...counts } = erased.right;
      report('is erased', who, { ...counts, user: user ? 1 : 0 }, elsewhere);
      if (announcements > 0) print(`note  Events user.deleted that wait for their webhooks: ${announcements}`);
      return exitStatus.done;
    } finally {
      await close();
    }
  } catch (error) {
    return reportFailure(error, { file: file.path });
  }
};
