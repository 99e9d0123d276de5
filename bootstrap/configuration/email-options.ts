import type * as t from 'io-ts';
import { displayNameOf, webUrl } from '../../adapters/kit/address-codecs.ts';
import { block, member, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, flag, longDuration, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { defaultPlaceholder, defaultSubject } from '../../adapters/languages/mail-layout.ts';
import { type Languages, languageOptions, singleLine } from '../features/languages-block.ts';
import { mailers } from '../registry.ts';
import { moduleType } from './adapter-block.ts';
import { codeOptions, codeProblems, defaultAttempts, maxAttempts } from './code-options.ts';
import { type Image, imageFile, textFile } from './files.ts';
import { below, problemAt } from './option-errors.ts';

/** The block `email.messageOptions` (docs/configuration.md). The files are read at the start. */
export const messageBlock = block({
  subject: withDefault(singleLine, defaultSubject, 'The subject of the verification mail.'),
  bodyHtmlFilePath: optional(textFile, 'The HTML body; a default one without it.'),
  bodyTextFilePath: optional(textFile, 'The text body; a default one without it.'),
  urlPlaceholderString: withDefault(text, defaultPlaceholder, 'The text that the link replaces in both bodies.'),
  successHtmlFilePath: optional(textFile, 'The page after the verification; a default one without it.'),
  successHtml: optional(textFile, 'The same as successHtmlFilePath.'),
});

/** The content of the verification mail and the success page; null is the default body or page. */
export interface MessageOptions {
  /** Null: the built-in subject. */
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly placeholder: string;
  readonly successPage: string | null;
}

export const messageOf = (values: Values<typeof messageBlock.options>, given: unknown): MessageOptions => ({
  // The default is English; other languages have subjects of their own.
  subject: member(member(given, 'messageOptions'), 'subject') === undefined ? null : values.subject,
  html: values.bodyHtmlFilePath,
  text: values.bodyTextFilePath,
  placeholder: values.urlPlaceholderString,
  successPage: values.successHtmlFilePath ?? values.successHtml,
});

/** The error of a success page that is given by both of its names, with different values. */
export const differentPages = (given: unknown, context: t.Context): t.Errors => {
  const message = member(given, 'messageOptions');
  const paths = [member(message, 'successHtml'), member(message, 'successHtmlFilePath')];
  if (paths.includes(undefined) || paths[0] === paths[1]) return [];
  const at = below(context, 'messageOptions', 'successHtml');
  return [problemAt(at, 'differs from successHtmlFilePath, which means the same; keep one of them')];
};

/** The error of a verification mail of the default language that is given in both places. */
export const twoMessages = (
  { subject, html, text }: MessageOptions,
  { messages, defaultTag }: Languages,
  context: t.Context,
) =>
  messages.verification[defaultTag] !== undefined && (subject ?? html ?? text) !== null
    ? [
        problemAt(
          below(context, 'messages', 'verification', 'locales', defaultTag),
          'is the mail of messageOptions, which is in the default language; keep one of them',
        ),
      ]
    : [];

const maxNameLength = 100;

const productName = refine(
  text,
  (name) => name.trim() !== '' && name.length <= maxNameLength && !/\p{Cc}/u.test(name),
  `expected a name of at most ${maxNameLength} characters without line breaks`,
);

/** The URL of a page for people, which may have a query and a fragment. */
export const webPage = refine(
  text,
  (value) => webUrl(value) !== undefined,
  'expected an http or https URL without user and password',
);

/** The options of the block `email` about the product that the users have their accounts at. */
const productOptions = {
  productName: optional(
    productName,
    'The name of the product in mails and pages; by default the display name of the sender.',
  ),
  productUrl: optional(webPage, 'The page of the product, to which `/` and the last page of a link lead.'),
  logo: optional(imageFile, 'An image of at most 64 KiB that mails and pages show instead of the name.'),
};

/** What mails and pages show of the product. */
export interface ProductBlock {
  /** Null if it has no name. */
  readonly product: string | null;
  /** Null if pages do not lead to it. */
  readonly productUrl: string | null;
  readonly logo: Image | null;
}

/** The name of the product; without one the display name of the sender. */
export const nameOf = (productName: string | null, fromAddress: unknown): string | null =>
  productName ?? (text.is(fromAddress) ? displayNameOf(fromAddress) : null);

/** The error of a logo that has no alternative text. */
export const namelessLogo = ({ logo, product }: ProductBlock, context: t.Context): t.Errors =>
  logo !== null && product === null
    ? [problemAt(below(context, 'logo'), 'needs productName, which programs show that do not load images')]
    : [];

/** The options of the block `email` that don't depend on its type. */
export const emailBlock = block(
  {
    type: withDefault(
      choice(['none', ...Object.keys(mailers), moduleType]),
      'none',
      'How mails are sent; none turns verification off.',
    ),
    ...productOptions,
    messageOptions: withDefault(messageBlock, {}, 'The verification mail, and the page after the verification.'),
    verificationOnUpdate: withDefault(
      choice(['body', 'server'] as const),
      'body',
      'Who sets the verification on an update: the body, or only the service.',
    ),
    form: codeOptions.form,
    codeKey: codeOptions.codeKey,
    attempts: optional(
      wholeNumber(1, maxAttempts),
      `The wrong codes for an address, within tokenLifetime, after which more are refused; ${defaultAttempts} by default.`,
    ),
    confirmPage: withDefault(
      flag,
      false,
      'Whether the link opens a page with a button, instead of verifying by itself.',
    ),
    queue: withDefault(
      flag,
      false,
      'Whether a mail is stored, and sent until the provider accepts it. Without it the caller waits for the provider.',
    ),
    confirmChange: withDefault(
      flag,
      false,
      'Whether a new address waits until a link that is mailed to it confirms it. Needs server.publicUrl.',
    ),
    tokenLifetime: optional(longDuration, 'How long the link in a mail works; for ever without it.'),
    resendInterval: optional(longDuration, 'The minimum time between two mails to a user.'),
    ...languageOptions,
  },
  ({ tokenLifetime, resendInterval, form, codeKey, attempts, confirmPage }) => [
    ...codeProblems({ form, codeKey }),
    ...[
      {
        applies: tokenLifetime !== null && resendInterval !== null && resendInterval > tokenLifetime,
        path: 'resendInterval',
        message: 'is longer than tokenLifetime: a link would expire before a new one can be requested',
      },
      {
        applies: form === 'code' && tokenLifetime === null,
        path: 'tokenLifetime',
        message: 'is required with form: code, because a code can be guessed; write tokenLifetime: 1h',
      },
      {
        applies: form === 'code' && confirmPage,
        path: 'confirmPage',
        message: 'has no effect with form: code, because no link opens a page',
      },
      { applies: form === 'link' && attempts !== null, path: 'attempts', message: 'has no effect with form: link' },
    ].filter(({ applies }) => applies),
  ],
);
