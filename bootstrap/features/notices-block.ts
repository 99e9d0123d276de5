import { withDefault } from '../../adapters/kit/option-block.ts';
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

type OtherBlocks = { readonly email?: object };

export const noticesSection = section<readonly NoticeTopic[], readonly NoticeTopic[], OtherBlocks>(
  noticesOption.meaning,
  (given, context) => validate(noticesOption.codec, given ?? [], context),
  (notices, { email }) =>
    notices.length > 0 && email === undefined
      ? [{ path: '', message: 'need a mailer; configure the block email, or write notices: []' }]
      : [],
);
