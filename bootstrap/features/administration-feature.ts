import {
  CreateUserHandler,
  NewUsers,
  UserInsertion,
  withoutSignUpRules,
} from '../../application/accounts/create-user.ts';
import { AddUserHandler } from '../../application/administration/add-user.ts';
import { userChanges } from '../../application/administration/change-user.ts';
import { EndUserHandler } from '../../application/administration/end-user.ts';
import { ImportUserHandler } from '../../application/administration/import-user.ts';
import {
  GetAttemptsHandler,
  holderFinder,
  InspectUserHandler,
  UnblockUserHandler,
} from '../../application/administration/inspect-user.ts';
import { ListUsersHandler } from '../../application/administration/list-users.ts';
import {
  DiscardMailHandler,
  ListMailsHandler,
  QueuedMails,
  RetryMailHandler,
} from '../../application/administration/queued-mails.ts';
import { ReindexUserHandler } from '../../application/administration/reindex-user.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import { Clock } from '../../application/ports/clock.ts';
import { leaseMarginMs } from '../../application/ports/event-outbox.ts';
import { PasswordHash } from '../../application/ports/password-hash.ts';
import { VerificationMailing } from '../../application/verification/verification-mailing.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import type { Feature, FeatureContext, Services } from './feature.ts';
import { personFeature } from './person-feature.ts';

/** Creates users for administrators without the rules for sign-up, also in a mailbox that another user has. */
const addUserHandler = (services: Services): AddUserHandler => {
  const { get, limits, events, newUserId } = services;
  const [users, passwords] = [get(SettlingStore), get(PasswordUpdate)];
  const newUsers = new NewUsers(passwords, get(Clock), limits, newUserId, withoutSignUpRules);
  const creation = new CreateUserHandler(users, newUsers, new UserInsertion(users, limits, events));
  const invitations = services.invitations?.(services);
  return new AddUserHandler(creation, passwords, get(PasswordHash), () => invitations?.prepare());
};

/** What administrators, imports and exports do with users, without their passwords. */
export const administrationFeature: Feature & Required<Pick<Feature, 'commands' | 'queries'>> = {
  commands: (services) => {
    const { get, limits, counters, passwordRules, unique, newUserId, namesMailboxes } = services;
    const [users, updates, hash] = [get(SettlingStore), get(OptimisticUpdate), get(PasswordHash)];
    const [passwords, mailing] = [get(PasswordUpdate), get(VerificationMailing)];
    return {
      ...userChanges(updates, passwords, mailing, hash, get(Clock), limits, newUserId !== undefined),
      UnblockUser: new UnblockUserHandler(users, counters),
      ImportUser: new ImportUserHandler(
        users,
        new UserInsertion(users, limits),
        hash,
        limits,
        passwordRules,
        newUserId,
        get(Clock),
      ),
      EndUser: new EndUserHandler(updates),
      ReindexUser: new ReindexUserHandler(updates, users, limits, unique, () => newUserId?.(), namesMailboxes),
    };
  },
  queries: (services) => {
    const { get, counters, unique, adapters } = services;
    const { store, log } = adapters;
    const users = get(SettlingStore);
    return {
      InspectUser: new InspectUserHandler(users),
      GetAttempts: new GetAttemptsHandler(users, counters),
      ListUsers: new ListUsersHandler(
        store.listing,
        store.search,
        get(Clock),
        counters.passwords,
        log,
        holderFinder(users, unique),
        unique,
      ),
      // Mails are queued only in a store that has an outbox.
      ...(store.events && { ListMails: new ListMailsHandler(store.events) }),
    };
  },
};

/** What administrators do with waiting mails; nothing where the store has no outbox. */
const mailCommands = ({ get, events, adapters: { store } }: Services, timeoutMs: number) => {
  const outbox = store.events;
  if (outbox === undefined) return {};
  // The clocks of two processes may differ by as much as a lease is longer than its attempt.
  const mails = new QueuedMails(outbox, get(Clock), timeoutMs + 2 * leaseMarginMs);
  return {
    RetryMail: new RetryMailHandler(mails),
    DiscardMail: new DiscardMailHandler(mails, events),
  };
};

/** The block `admin`: administrators with keys act on users on the admin port. */
export const open = async (_: unknown, { configuration }: FeatureContext): Promise<Feature> => {
  const ofPeople = personFeature(configuration);
  return {
    commands: (services) => ({
      ...administrationFeature.commands(services),
      AddUser: addUserHandler(services),
      ...mailCommands(services, configuration.operationTimeoutMs),
      ...ofPeople.commands(services),
    }),
    queries: (services) => ({ ...administrationFeature.queries(services), ...ofPeople.queries(services) }),
  };
};
