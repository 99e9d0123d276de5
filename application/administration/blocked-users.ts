import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { UserPage } from '../ports/user-listing.ts';

/** How many counts of wrong passwords are read at once, so that a list leaves calls to the database for logins. */
const countsAtOnce = 16;

/** Users, and the records that cannot be read. */
export type Selection = Required<Pick<UserPage, 'users' | 'unreadable'>>;

/** Whether a user is blocked because of wrong passwords, or why the count cannot be read. */
const isBlocked = async ({ email }: User, attempts: AttemptCounter): Promise<boolean | Fault> => {
  try {
    return (await attempts.status({ user: keyOf(email.address), client: undefined })).blockedForMs > 0;
  } catch (error) {
    if (error instanceof Fault && error.record !== undefined) return error;
    throw error;
  }
};

/** The users who are blocked because of wrong passwords. */
export const blockedOf = async (users: readonly User[], attempts: AttemptCounter): Promise<Selection> => {
  const blocked: User[] = [];
  const unreadable: Fault[] = [];
  for (let start = 0; start < users.length; start += countsAtOnce) {
    const some = users.slice(start, start + countsAtOnce);
    const found = await Promise.all(some.map((user) => isBlocked(user, attempts)));
    blocked.push(...some.filter((_, index) => found[index] === true));
    unreadable.push(...found.filter((outcome) => outcome instanceof Fault));
  }
  return { users: blocked, unreadable };
};
