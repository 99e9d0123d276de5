import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, flag, longDuration, refine, text } from '../../adapters/kit/option-codecs.ts';
import { defaultPlaceholder, defaultSubject } from '../../adapters/mailers/default-mail-template.ts';
import type { Mailer } from '../../application/ports/mailer.ts';
import type { OpenAdapter } from '../registry.ts';
import { mailers } from '../registry.ts';
import { blockWithDefaults, chosen } from './adapter-block.ts';
import { isMapping, member, picked } from './document.ts';
import { textFile } from './files.ts';
import { decodeNamedAdapter, moduleWord } from './named-adapter.ts';
import { alsoFailing, below, problemAt } from './validation.ts';

/** The block `email.messageOptions` (specification, section 1). The files are read when the service starts. */
export const messageBlock = block({
  subject: withDefault(
    refine(text, (subject) => !/[\r\n]/.test(subject), 'a subject is one line'),
    defaultSubject,
    'The subject of the verification mail.',
  ),
  bodyHtmlFilePath: optional(textFile, 'The HTML body of the mail; a default body is used without it.'),
  bodyTextFilePath: optional(textFile, 'The text body of the mail; a default body is used without it.'),
  urlPlaceholderString: withDefault(
    text,
    defaultPlaceholder,
    'What is replaced with the verification link in both bodies.',
  ),
  successHtmlFilePath: optional(
    textFile,
    'The page that a person sees after the verification; a default one without it.',
  ),
  successHtml: optional(textFile, 'Another name of successHtmlFilePath.'),
});

/** An expired link could not be replaced for a while. */
const isStuck = (lifetime: number | null, interval: number | null): boolean =>
  lifetime !== null && interval !== null && interval > lifetime;

/** The options of the block `email` that don't depend on its type. */
export const emailBlock = block(
  {
    type: withDefault(
      choice(['none', ...Object.keys(mailers), moduleWord]),
      'none',
      'How verification mails are sent; none turns the verification of addresses off.',
    ),
    messageOptions: blockWithDefaults(messageBlock, 'What the verification mail and the page after it look like.'),
    verificationOnUpdate: withDefault(
      choice(['body', 'server'] as const),
      'body',
      'Who decides on the verification when a user is updated: the body where it says something, or the service alone.',
    ),
    confirmPage: withDefault(
      flag,
      false,
      'Whether the link opens a page with a button that verifies, instead of verifying by itself: some programs follow the links of mails.',
    ),
    tokenLifetime: optional(
      longDuration,
      'For how long the link in a mail verifies, from the mail on; for ever when it is absent.',
    ),
    resendInterval: optional(
      longDuration,
      'How much time there is between two mails to a user at least, whatever the address; none when it is absent.',
    ),
  },
  ({ tokenLifetime, resendInterval }) =>
    isStuck(tokenLifetime, resendInterval)
      ? [
          {
            path: 'resendInterval',
            message: 'is longer than tokenLifetime: a link would expire before a new one can be requested',
          },
        ]
      : [],
);

/** What the verification mail is made of; null stands for the default body or page. */
export interface MessageOptions {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly placeholder: string;
  readonly successPage: string | null;
}

/** How verification mails are sent. */
export interface Email {
  readonly type: string;
  readonly message: MessageOptions;
  /** Whether the link opens a page with a button that verifies. */
  readonly confirmPage: boolean;
  /** For how many milliseconds a token verifies; null is for ever. */
  readonly tokenLifetime: number | null;
  /** How many milliseconds there are between two mails to a user at least; null lets all pass. */
  readonly resendInterval: number | null;
  readonly open: OpenAdapter<Mailer>;
}

/** The block `email`; the mails are null when the type is none. */
export interface EmailOptions {
  readonly email: Email | null;
  readonly verificationOnUpdate: 'body' | 'server';
}

const messageOf = (values: Values<typeof messageBlock.options>): MessageOptions => ({
  subject: values.subject,
  html: values.bodyHtmlFilePath,
  text: values.bodyTextFilePath,
  placeholder: values.urlPlaceholderString,
  successPage: values.successHtmlFilePath ?? values.successHtml,
});

/** The page under both of its names, with different values. */
const twoPages = (given: unknown, context: t.Context): t.Errors => {
  const message = member(given, 'messageOptions');
  const paths = [member(message, 'successHtml'), member(message, 'successHtmlFilePath')];
  return paths.includes(undefined) || paths[0] === paths[1]
    ? []
    : [
        problemAt(
          below(context, 'messageOptions', 'successHtml'),
          'differs from successHtmlFilePath, which means the same; keep one',
        ),
      ];
};

const effectiveWithoutMail = ['type', 'verificationOnUpdate'];

/** The keys of the block that do nothing because its type is none. */
export const idleEmailKeys = (given: unknown): readonly string[] =>
  isMapping(given) && chosen(emailBlock.options.type, member(given, 'type')) === 'none'
    ? Object.keys(given).filter((key) => !effectiveWithoutMail.includes(key))
    : [];

export const decodeEmail = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<EmailOptions>> => {
  const type = chosen(emailBlock.options.type, member(given, 'type'));
  if (type === 'none') {
    const values = emailBlock.validate(picked(given ?? {}, effectiveWithoutMail), context);
    return map(
      ({ verificationOnUpdate }: Values<typeof emailBlock.options>): EmailOptions => ({
        email: null,
        verificationOnUpdate,
      }),
    )(values);
  }
  const sources = { port: 'Mailer', registry: mailers, folders } as const;
  const values = await decodeNamedAdapter(emailBlock, type, sources, given, context);
  const twice = twoPages(given, context);
  if (isLeft(values)) return alsoFailing(values, twice);
  const { messageOptions, verificationOnUpdate, ...others } = values.right;
  const email = { ...others, message: messageOf(messageOptions) };
  return alsoFailing(right({ email, verificationOnUpdate }), twice);
};
