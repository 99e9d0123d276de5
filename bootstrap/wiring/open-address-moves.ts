import type { Container } from 'inversify';
import { changeRoutes } from '../../adapters/http/api/address-moves/address-move-routes.ts';
import type { Route } from '../../adapters/http/api/route-types.ts';
import { cancelChangeLink, confirmChangeLink } from '../../adapters/http/paths.ts';
import { AddressChanges, type ChangePolicy } from '../../application/address-moves/address-moves.ts';
import { CheckChangeHandler } from '../../application/address-moves/check-address-move.ts';
import { CancelChangeHandler, ConfirmChangeHandler } from '../../application/address-moves/confirm-address-move.ts';
import { ChangeBus } from '../../application/bus.ts';
import type { Interceptor } from '../../application/interceptor.ts';
import type { MailQueue } from '../../application/outgoing/mail-queue.ts';
import { Clock } from '../../application/ports/clock.ts';
import { UserStore } from '../../application/ports/user-store.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Mails } from './mail-texts.ts';
import type { Adapters } from './open-adapters.ts';
import { openPageLanguages } from './page-languages.ts';
import { changeLifetimeOf, policiesOf } from './use-case-policies.ts';

const policyOf = (configuration: Configuration): ChangePolicy => ({
  changeLifetimeMs: changeLifetimeOf(configuration),
  resendIntervalMs: configuration.verification.resendIntervalMs,
});

/** What an update does with a new address; null where no mail can be stored. */
export const openAddressChanges = (
  configuration: Configuration,
  { store, clock }: Adapters,
  { localeOf }: Mails,
  queue: MailQueue | null,
): AddressChanges | null => {
  const { publicUrl } = configuration.server;
  if (queue === null || publicUrl === null) return null;
  const confirmLinkOf = confirmChangeLink(publicUrl);
  const cancelLinkOf = cancelChangeLink(publicUrl);
  return new AddressChanges(
    store.users,
    clock,
    { queue, localeOf, confirmLinkOf, cancelLinkOf },
    policyOf(configuration),
  );
};

const changeBus = (container: Container, configuration: Configuration, interceptor: Interceptor): ChangeBus => {
  const [users, updates, clock] = [container.get(UserStore), container.get(OptimisticUpdate), container.get(Clock)];
  const policy = policyOf(configuration);
  const { limits } = policiesOf(configuration);
  return new ChangeBus(
    {
      ConfirmChange: new ConfirmChangeHandler(updates, clock, policy, limits),
      CancelChange: new CancelChangeHandler(updates, clock, policy),
      CheckChange: new CheckChangeHandler(users, clock, policy),
    },
    interceptor,
  );
};

/** The routes of the links that confirm and cancel a change of address. */
export const openChangeRoutes = async (
  configuration: Configuration,
  container: Container,
  interceptor: Interceptor,
): Promise<readonly Route[]> => {
  const { email, server } = configuration;
  if (email === null) return [];
  return changeRoutes(changeBus(container, configuration, interceptor), {
    publicUrl: server.publicUrl,
    confirmLanguage: await openPageLanguages(email, 'change'),
    cancelLanguage: await openPageLanguages(email, 'cancellation'),
  });
};
