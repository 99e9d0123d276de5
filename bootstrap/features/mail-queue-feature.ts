import { Once } from '../../adapters/concurrency/shared-call.ts';
import { mailMetricFamilies } from '../../adapters/observability/delivery-metrics.ts';
import { MailDelivery } from '../../application/outgoing/mail-delivery.ts';
import { NoticeLimit } from '../../application/outgoing/notice-limit.ts';
import { cannotExpire, type DeliveryReport, lineOfQueue, requiredMailOutbox } from '../service/event-delivery.ts';
import type { Feature, FeatureContext, MailOption, Services } from './feature.ts';
import { openNoticeCounter } from './notices-feature.ts';

const lineOf = (report: DeliveryReport): string =>
  report.states
    .map(lineOfQueue('queued mails are sent', 'refused'))
    .map((line) => [line, ...cannotExpire(report)].join('; '))
    .join();

/** Sends the mails that are stored with a change. `path` names the option that needs them. */
export const open = async ({ path, remedy }: MailOption, context: FeatureContext): Promise<Feature> => {
  const { log, configuration } = context;
  const { email, operationTimeoutMs: timeoutMs } = configuration;
  const outbox = requiredMailOutbox(context, path, remedy);
  // Instances with `notices` may use the database, too. Only their notices need the counter.
  const counter = new Once(() => openNoticeCounter(context));
  const ofOthers = new NoticeLimit(() => counter.get(), log);
  const deliveryOf = ({ mails, events, noticeLimit = ofOthers, adapters: { mailer } }: Services, mailerType: string) =>
    new MailDelivery({
      mailer,
      mailerType,
      texts: mails.texts,
      outbox,
      events,
      timeoutMs,
      log,
      noticeLimit,
    });
  return {
    api: { queuesMails: true },
    deliveries: async (services) => [
      {
        component: 'mails',
        targets: email === undefined ? [] : [deliveryOf(services, email.type)],
        holdsSecrets: true,
        hasAges: true,
        lineOf,
        metricsOf: ({ states }) => states.flatMap(mailMetricFamilies),
      },
    ],
    close: async () => (await counter.current?.catch(() => undefined))?.close(),
  };
};
