import { addressMoveRoutes } from '../../adapters/http/api/address-moves/address-move-routes.ts';
import { pageLink, publicPaths } from '../../adapters/http/paths.ts';
import { withoutPendingMember, writerWithMove } from '../../adapters/kit/user-json/optional-members.ts';
import { publicFields } from '../../adapters/kit/user-json/user-writer.ts';
import { AddressMoves } from '../../application/address-moves/address-moves.ts';
import {
  CancelMoveHandler,
  CheckMoveHandler,
  ConfirmMoveHandler,
} from '../../application/address-moves/confirm-address-move.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import { Clock } from '../../application/ports/clock.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { moveLifetimeOf } from '../../domain/address-move.ts';
import type { VerificationBlock } from '../configuration/email-block.ts';
import { type ApiAdditions, type Feature, type FeatureContext, linkBaseOf } from './feature.ts';

/** `email.confirmChange`: a new address is used once its mailbox has confirmed it. */
export const open = async (
  { resendIntervalMs, tokenLifetimeMs }: VerificationBlock,
  { configuration, adapters }: FeatureContext,
): Promise<Feature> => {
  const publicUrl = linkBaseOf(configuration);
  const lifetimeMs = moveLifetimeOf(tokenLifetimeMs);
  const policy = { lifetimeMs, resendIntervalMs };
  const api: ApiAdditions = {
    addressMove: {
      lifetimeMs,
      trimBody: withoutPendingMember,
      writeUser: writerWithMove(publicFields(!configuration.privacy.hidePasswords), lifetimeMs, adapters.clock),
    },
  };
  return {
    api,
    addressMoves: ({ get, mailQueue, mails }) =>
      new AddressMoves(
        get(SettlingStore),
        get(Clock),
        {
          queue: mailQueue,
          localeOf: mails.localeOf,
          confirmLinkOf: pageLink(`${publicUrl}${publicPaths.addressMove}`),
          cancelLinkOf: pageLink(`${publicUrl}${publicPaths.addressMoveCancellation}`),
        },
        policy,
      ),
    commands: ({ get }) => ({
      ConfirmChange: new ConfirmMoveHandler(get(OptimisticUpdate), get(Clock), policy),
      CancelChange: new CancelMoveHandler(get(OptimisticUpdate), get(Clock), policy),
    }),
    queries: ({ get }) => ({ CheckChange: new CheckMoveHandler(get(SettlingStore), get(Clock), policy) }),
    routes: async ({ get, pages }, { keys }) =>
      addressMoveRoutes({
        keys,
        commands: get(CommandBus),
        queries: get(QueryBus),
        publicUrl,
        confirmLanguage: await pages.languageOf('change'),
        cancelLanguage: await pages.languageOf('cancellation'),
      }),
  };
};
