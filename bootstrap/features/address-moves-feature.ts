import { changeRoutes } from '../../adapters/http/api/address-moves/address-move-routes.ts';
import { cancelChangeLink, confirmChangeLink } from '../../adapters/http/paths.ts';
import { AddressChanges, type ChangePolicy } from '../../application/address-moves/address-moves.ts';
import {
  CancelChangeHandler,
  CheckChangeHandler,
  ConfirmChangeHandler,
} from '../../application/address-moves/confirm-address-move.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import { Clock } from '../../application/ports/clock.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import type { Verification } from '../configuration/email-block.ts';
import { openPageLanguages } from '../service/page-languages.ts';
import { changeLifetimeOf, policiesOf } from '../service/policies.ts';
import type { Feature, FeatureContext } from './feature.ts';

/** `email.confirmChange`: a new address is used once its mailbox has confirmed it. */
export const open = async ({ resendIntervalMs }: Verification, { configuration }: FeatureContext): Promise<Feature> => {
  const { email, server } = configuration;
  const { publicUrl } = server;
  const policy: ChangePolicy = { changeLifetimeMs: changeLifetimeOf(configuration), resendIntervalMs };
  const { limits } = policiesOf(configuration);
  // Refused by the configuration.
  if (email === null || publicUrl === null) return {};
  return {
    addressMoves: ({ get, mailQueue, mails }) =>
      mailQueue &&
      new AddressChanges(
        get(SettlingStore),
        get(Clock),
        {
          queue: mailQueue,
          localeOf: mails.localeOf,
          confirmLinkOf: confirmChangeLink(publicUrl),
          cancelLinkOf: cancelChangeLink(publicUrl),
        },
        policy,
      ),
    commands: ({ get }) => ({
      ConfirmChange: new ConfirmChangeHandler(get(OptimisticUpdate), get(Clock), policy, limits),
      CancelChange: new CancelChangeHandler(get(OptimisticUpdate), get(Clock), policy),
    }),
    queries: ({ get }) => ({ CheckChange: new CheckChangeHandler(get(SettlingStore), get(Clock), policy) }),
    routes: async ({ get }) =>
      changeRoutes({
        commands: get(CommandBus),
        queries: get(QueryBus),
        publicUrl,
        confirmLanguage: await openPageLanguages(email, 'change'),
        cancelLanguage: await openPageLanguages(email, 'cancellation'),
      }),
  };
};
