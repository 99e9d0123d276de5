import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { flag, longDuration } from '../../adapters/kit/option-codecs.ts';
import type { UnverifiedPolicy } from '../../domain/unverified.ts';
import { plainBlock } from '../configuration/section.ts';

/** The block `users`. */
const usersBlock = block({
  ids: withDefault(flag, false, 'Whether every user has an `id`, which never changes.'),
  deleteUnverifiedAfter: optional(
    longDuration,
    'How long a user may exist without ever having verified an address; for ever without it.',
  ),
});

/** What other blocks make impossible: without mails, hardly any user could verify an address. */
const impossibleUsers = (
  { deleteUnverifiedAfter }: Values<typeof usersBlock.options>,
  { email }: { readonly email?: object },
): readonly Problem[] =>
  deleteUnverifiedAfter !== null && email === undefined
    ? [{ path: 'deleteUnverifiedAfter', message: 'needs a type of email other than none' }]
    : [];

export const usersSection = plainBlock(
  usersBlock,
  'What every user has besides an address, and when users end.',
  impossibleUsers,
);

/** What says how long a user may exist without a verified address, and how long the links work that verify one. */
interface LifetimeBlocks {
  readonly users: Values<typeof usersBlock.options>;
  readonly verification: Pick<UnverifiedPolicy, 'tokenLifetimeMs'>;
  readonly invitations?: { readonly lifetimeMs: number };
  readonly recovery?: { readonly lifetimeMs: number };
}

/** When users whose address was never verified are deleted; undefined if never. */
export const unverifiedPolicyOf = ({
  users,
  verification,
  invitations,
  recovery,
}: LifetimeBlocks): UnverifiedPolicy | undefined =>
  users.deleteUnverifiedAfter === null
    ? undefined
    : {
        unverifiedLifetimeMs: users.deleteUnverifiedAfter,
        tokenLifetimeMs: verification.tokenLifetimeMs,
        invitationLifetimeMs: invitations?.lifetimeMs ?? null,
        recoveryLifetimeMs: recovery?.lifetimeMs ?? null,
      };

/** What to do where a database cannot list users, or has no outbox. */
export const withoutCleanup = (database: string): string =>
  `the database of type ${database} cannot list users and take turns; remove the option, or use another database`;
