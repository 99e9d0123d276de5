import { recoveryPageRoutes } from '../../adapters/http/api/recovery/recovery-page-routes.ts';
import { publicPaths, recoveryLink } from '../../adapters/http/paths.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import { Invitations, InviteUserHandler } from '../../application/invitations/invite-user.ts';
import { linkTokens } from '../../application/mailed-tokens.ts';
import { unlimited } from '../../application/passwords/authorizer.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import { Clock } from '../../application/ports/clock.ts';
import { CheckRecoveryHandler, ConfirmRecoveryHandler } from '../../application/recovery/confirm-recovery.ts';
import { UserMail } from '../../application/recovery/issue-recovery.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { addUserHandler } from './administration-feature.ts';
import type { Feature, FeatureContext } from './feature.ts';
import type { InvitationsBlock } from './invitations-block.ts';
import { statedRules } from './password-rules-block.ts';

/** The block `invitations`: users whom administrators create choose their first password by a link. */
export const open = async (block: InvitationsBlock, { configuration }: FeatureContext): Promise<Feature> => {
  const { server, passwordRules } = configuration;
  const { publicUrl } = server;
  // The primary process of a cluster sends no mails; a missing URL is refused by the configuration.
  if (publicUrl === null) return { api: { invites: true } };
  return {
    api: { invites: true },
    commands: (services) => {
      const { get, limits, mailQueue, mails, attempts } = services;
      const [updates, clock] = [get(OptimisticUpdate), get(Clock)];
      const confirm = new ConfirmRecoveryHandler(
        updates,
        get(PasswordUpdate),
        linkTokens,
        clock,
        { ...limits, ...block },
        // Its tokens cannot be guessed.
        unlimited,
        attempts,
        'invitation',
      );
      if (mailQueue === undefined) return { ConfirmInvitation: confirm };
      const link = recoveryLink(`${publicUrl}${publicPaths.invitation}`);
      const invitations = new Invitations(clock, block, new UserMail(mailQueue, mails.localeOf, link, 'invitation'));
      return {
        ConfirmInvitation: confirm,
        AddUser: addUserHandler(services, invitations),
        InviteUser: new InviteUserHandler(updates, clock, invitations),
      };
    },
    queries: ({ get }) => ({
      CheckInvitation: new CheckRecoveryHandler(get(SettlingStore), get(Clock), block, 'invitation'),
    }),
    routes: async ({ get, pages }, options) => {
      const [commands, queries] = [get(CommandBus), get(QueryBus)];
      return recoveryPageRoutes(
        {
          ...options,
          commands,
          queries,
          pageLanguage: await pages.languageOf('invitation'),
          publicUrl,
          passwordRules: passwordRules === null ? [] : statedRules(passwordRules),
        },
        'invitation',
      );
    },
  };
};
