import { metricFamily } from '../../adapters/observability/metric-families.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import type { NoticeTopic } from '../../application/outgoing/mail-queue.ts';
import { NoticeLimit, noticeLimits } from '../../application/outgoing/notice-limit.ts';
import { Notices } from '../../application/outgoing/notices.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import type { AttemptCounter } from '../../application/ports/attempt-counter.ts';
import { Clock } from '../../application/ports/clock.ts';
import type { Feature, FeatureContext } from './feature.ts';

const droppedMetric = 'latchkey_queued_mails_limited_total';

/** Stores notices with changes. The queue of mails sends them. */
export const storedNotices = (topics: readonly NoticeTopic[]): Pick<Feature, 'notices'> => ({
  notices: ({ get, mailQueue, mails }) => new Notices(topics, mailQueue, mails.localeOf, get(Clock)),
});

/** Opens the counts of the notices that each address got. */
export const openNoticeCounter = async ({ adapters, log }: FeatureContext): Promise<AttemptCounter> =>
  new PrefixedAttempts('notice', await openLimitedAttempts(adapters.store, noticeLimits, log));

/** The list `notices`: mails about changes, and the limit of what is sent. */
export const open = async (topics: readonly NoticeTopic[], context: FeatureContext): Promise<Feature> => {
  const attempts = await openNoticeCounter(context);
  const noticeLimit = new NoticeLimit(async () => attempts, context.log);
  return {
    ...storedNotices(topics),
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
