import { metricFamily } from '../../adapters/observability/metric-families.ts';
import { EndUserHandler } from '../../application/administration/end-user.ts';
import { CommandBus } from '../../application/bus.ts';
import { Clock } from '../../application/ports/clock.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { UnverifiedUsers } from '../../application/unverified/unverified-users.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { UnverifiedPolicy } from '../../domain/unverified.ts';
import { requiredPort } from '../service/adapters.ts';
import type { Feature, FeatureContext } from './feature.ts';
import { withoutCleanup } from './users-block.ts';

/** `users.deleteUnverifiedAfter`: users whose address was never verified in time are deleted. */
export const open = async (
  policy: UnverifiedPolicy,
  { configuration, adapters, log }: FeatureContext,
): Promise<Feature> => {
  const message = withoutCleanup(configuration.database.type);
  const required = <Port>(port: Port | undefined) => requiredPort(port, 'users.deleteUnverifiedAfter', message);
  const portsOf = ({ listing, events }: StorePorts) => ({ listing: required(listing), outbox: required(events) });
  // Refuses the start, where the first delivery would fail later.
  portsOf(adapters.store);
  return {
    commands: ({ get }) => ({ EndUser: new EndUserHandler(get(OptimisticUpdate)) }),
    deliveries: async ({ get, adapters: { store } }) => {
      const work = new UnverifiedUsers({
        commands: get(CommandBus),
        ...portsOf(store),
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
