import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { personJson } from '../../adapters/http/admin/administration/person-json.ts';
import { administrator as by } from '../../application/administration/administrator.ts';
import { EmailAddress, keyOf } from '../../domain/email-address.ts';
import { UserId } from '../../domain/user.ts';
import { nameOfId, type UserKey } from '../../domain/user-name.ts';
import type { Configuration } from '../configuration/index.ts';
import { feature, recovery, throttle, verificationCodes } from '../features/index.ts';
import { personFeature } from '../features/person-feature.ts';
import { CommandError, writeOutput } from './command-errors.ts';
import { type Command, UsageError } from './command-line.ts';
import { repeatable } from './long-runs.ts';
import { withTransfer } from './transfer.ts';

/** The use cases about people. */
const people = feature(
  (configuration) => configuration,
  async (configuration) => personFeature(configuration),
);

const keyIn = (who: string, { users }: Configuration): UserKey => {
  if (EmailAddress.is(who)) return keyOf(who);
  if (users.ids && UserId.is(who)) return nameOfId(who);
  throw new UsageError(users.ids ? 'expected an address or an id' : 'expected an address, because users have no ids');
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Gathers or erases everything about a person, whether the service runs or not. */
export const person: Command = async ({ values: { erase = false, export: gathers = false }, positionals }) => {
  const who = positionals.at(-1);
  if (who === undefined || positionals.length > 2) throw new UsageError('person takes an address or an id');
  if (erase === gathers) throw new UsageError('person needs either --export or --erase');
  // Those with counters of wrong passwords and codes have traces of people.
  const further = [people, throttle, recovery, verificationCodes];
  const requires = (configuration: Configuration): void => void keyIn(who, configuration);
  const options = { readOnly: gathers, further, requires };
  return withTransfer(positionals.at(-2), options, async ({ configuration, commands, queries }) => {
    const key = keyIn(who, configuration);
    if (gathers) {
      const found = await queries.dispatch({ type: 'GatherPerson', by, key });
      if (isRight(found)) await writeOutput(`${personJson(found.right)}\n`);
      return;
    }
    const erased = await repeatable('the erasure may be incomplete; run the command again', () =>
      commands.dispatch({ type: 'ErasePerson', by, key }),
    );
    if (isLeft(erased)) throw new CommandError('others kept changing the user; run the command again');
    const { user, events, mails, requests, attempts, announcements, elsewhere } = erased.right;
    print(
      `ok    ${who} is erased: user: ${user ? 1 : 0}, waiting events: ${events}, waiting mails: ${mails}, waiting requests: ${requests}, counts of wrong passwords and codes: ${attempts}`,
    );
    for (const line of elsewhere) print(`note  ${line}`);
    if (announcements > 0) print(`note  Events user.deleted that wait for their webhooks: ${announcements}`);
  });
};
