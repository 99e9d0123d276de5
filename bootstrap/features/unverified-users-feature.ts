import { metricFamily } from '../../adapters/observability/metric-families.ts';
import { EndUserHandler } from '../../application/administration/end-user.ts';
import { CommandBus } from '../../application/bus.ts';
import { Clock } from '../../application/ports/clock.ts';
import { UnverifiedUsers } from '../../application/unverified/unverified-users.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { UnverifiedPolicy } from '../../domain/unverified.ts';
import { ConfigurationError } from '../configuration/index.ts';
import type { Feature, FeatureContext } from './feature.ts';
import { withoutCleanup } from './users-block.ts';

/** `users.deleteUnverifiedAfter`: users whose address was never verified in time are deleted. */
export const open = async (
  policy: UnverifiedPolicy,
  { configuration, adapters, log }: FeatureContext,
): Promise<Feature> => {
  const { listing, events } = adapters.store;
  if (listing === undefined || events === undefined) {
    const message = withoutCleanup(configuration.database.type);
    throw new ConfigurationError('the configuration', [{ path: 'users.deleteUnverifiedAfter', message }]);
  }
  return {
    commands: ({ get }) => ({ EndUser: new EndUserHandler(get(OptimisticUpdate)) }),
    deliveries: async ({ get, adapters: { store } }) => {
      const work = new UnverifiedUsers({
        commands: get(CommandBus),
        listing: store.listing ?? listing,
        outbox: store.events ?? events,
        clock: get(Clock),
        log,
        policy,
      });
      const help = 'Users deleted because their address was not verified in time';
      return [
        {
          component: 'unverified users',
          targets: [],
          work,
          lineOf: () => {
            const state = work.problem === undefined ? 'deleted in time' : `not deleted for now: ${work.problem}`;
            return `${state}, ${work.deleted} deleted since the start`;
          },
          metricsOf: () => [metricFamily('counter', 'latchkey_unverified_users_deleted_total', help, work.deleted)],
        },
      ];
    },
  };
};
