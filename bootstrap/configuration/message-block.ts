import type * as t from 'io-ts';
import { block, member, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { text } from '../../adapters/kit/option-codecs.ts';
import { defaultPlaceholder, defaultSubject } from '../../adapters/languages/mail-layout.ts';
import { textFile } from './files.ts';
import { type Languages, singleLine } from './languages-block.ts';
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
