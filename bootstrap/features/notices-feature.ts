import type { NoticeTopic } from '../../application/outgoing/notice-kinds.ts';
import { Notices } from '../../application/outgoing/notices.ts';
import { Clock } from '../../application/ports/clock.ts';
import type { Feature } from './feature.ts';

/** The list `notices`: the changes of which users are told. Their mails are always queued. */
export const open = async (topics: readonly NoticeTopic[]): Promise<Feature> => ({
  notices: ({ get, mailQueue, mails }) => mailQueue && new Notices(topics, mailQueue, mails.localeOf, get(Clock)),
});
