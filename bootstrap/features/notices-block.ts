import type * as t from 'io-ts';
import { type Problem, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, list } from '../../adapters/kit/option-codecs.ts';
import { type NoticeTopic, noticeTopics } from '../../application/outgoing/mail-queue.ts';
import { validate } from '../configuration/option-errors.ts';
import { section } from '../configuration/section.ts';

/** The list `notices`, which is no block. */
export const noticesOption = withDefault(
  list(choice(noticeTopics)),
  [],
  'The changes of which users are told by a mail to the address from before the change.',
);

const decodeNotices = (given: unknown, context: t.Context): t.Validation<readonly NoticeTopic[]> =>
  validate(noticesOption.codec, given ?? [], context);

/** The problem of notices that cannot be sent. */
const noticesWithoutMails = (
  notices: readonly NoticeTopic[],
  { email }: { readonly email?: object },
): readonly Problem[] =>
  notices.length > 0 && email === undefined
    ? [{ path: '', message: 'need a mailer; configure the block email, or write notices: []' }]
    : [];

export const noticesSection = section<
  readonly NoticeTopic[],
  readonly NoticeTopic[],
  Parameters<typeof noticesWithoutMails>[1]
>(noticesOption.meaning, decodeNotices, noticesWithoutMails);
