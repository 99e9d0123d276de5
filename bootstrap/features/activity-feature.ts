import { Activity } from '../../application/activity/activity.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { ActivityBlock } from '../configuration/plain-blocks.ts';
import type { Feature, FeatureContext } from './feature.ts';

/** The block `activity`: users have the time when their password was last right. */
export const open = async (
  { precision, since }: ActivityBlock,
  { adapters: { clock }, log }: FeatureContext,
): Promise<Feature> => ({
  api: { activity: { recordedSince: since ?? 0 } },
  checkHelpers: ({ get }) => ({ activity: new Activity(get(OptimisticUpdate), precision, clock, log) }),
});
