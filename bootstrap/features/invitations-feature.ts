import { pageLink, publicPaths } from '../../adapters/http/paths.ts';
import { Invitations, InviteUserHandler } from '../../application/invitations/invite-user.ts';
import { linkTokens } from '../../application/mailed-tokens.ts';
import { UserMail } from '../../application/outgoing/mail-queue.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import { unlimited } from '../../application/ports/attempt-counter.ts';
import { Clock } from '../../application/ports/clock.ts';
import { CheckRecoveryHandler, ConfirmRecoveryHandler } from '../../application/recovery/confirm-recovery.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { type Feature, type FeatureContext, linkBaseOf, type Services } from './feature.ts';
import type { InvitationsBlock } from './invitations-block.ts';
import { passwordPages } from './recovery-feature.ts';

/** The block `invitations`: users whom administrators create choose their first password by a link. */
export const open = async (block: InvitationsBlock, { configuration }: FeatureContext): Promise<Feature> => {
  const link = pageLink(`${linkBaseOf(configuration)}${publicPaths.invitation}`);
  const invitations = ({ get, mailQueue, mails }: Services) =>
    new Invitations(get(Clock), block, new UserMail(mailQueue, mails.localeOf, link, 'invitation'));
  return {
    collaborators: { invitations },
    commands: (services) => {
      const { get, counters } = services;
      const [updates, clock] = [get(OptimisticUpdate), get(Clock)];
      return {
        ConfirmInvitation: new ConfirmRecoveryHandler(
          updates,
          get(PasswordUpdate),
          linkTokens,
          clock,
          block,
          // Its tokens cannot be guessed.
          unlimited,
          counters,
          'invitation',
        ),
        InviteUser: new InviteUserHandler(updates, clock, invitations(services)),
      };
    },
    queries: ({ get }) => ({
      CheckInvitation: new CheckRecoveryHandler(get(SettlingStore), get(Clock), block, 'invitation'),
    }),
    routes: (services, options) => passwordPages('invitation', services, options, configuration),
  };
};
