import { metricFamily } from '../../adapters/observability/metric-families.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { NoticeLimit, noticeLimits } from '../../application/outgoing/notice-limit.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import type { Feature, FeatureContext } from './feature.ts';

const droppedMetric = 'latchkey_queued_mails_limited_total';

/** The list `notices`: the limit of what is sent. The feature of queued mails stores them. */
export const open = async (_: unknown, { adapters, log }: FeatureContext): Promise<Feature> => {
  const counter = await openLimitedAttempts(adapters.store, noticeLimits, log);
  const attempts = new PrefixedAttempts('notice', counter);
  const noticeLimit = new NoticeLimit(attempts, log);
  return {
    collaborators: { noticeLimit },
    checkDatabase: () => attempts.check(),
    metrics: () => [
      metricFamily(
        'counter',
        droppedMetric,
        'Queued notices dropped because their address had enough of them within a day',
        noticeLimit.dropped,
      ),
    ],
    close: () => attempts.close(),
  };
};
