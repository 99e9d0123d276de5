import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { longDuration } from '../../adapters/kit/option-codecs.ts';
import { isoDate } from '../configuration/rotation.ts';

/** The block `activity`. */
export const activityBlock = block({
  precision: withDefault(
    longDuration,
    '24h',
    'How much later than the stored time a password may have been right; a user is written at most once in this time.',
  ),
  since: optional(
    isoDate,
    'Since when this is recorded without a gap: nobody counts as inactive from an earlier time. latchkey expire needs it. A date starts at midnight UTC.',
  ),
});

export type ActivityBlock = Values<typeof activityBlock.options>;
