import { isLeft, tryCatch } from 'fp-ts/lib/Either.js';
import { mapWithIndex } from 'fp-ts/lib/Record.js';
import * as t from 'io-ts';
import { block, isMapping, optional, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { fixedFields } from '../../adapters/kit/user-json/user-writer.ts';
import { defaultPlaceholder } from '../../adapters/languages/mail-layout.ts';
import type { MailKind } from '../../application/outgoing/mail-queue.ts';
import type { PropertyRules } from '../../domain/user-limits.ts';
import { textFile } from '../configuration/files.ts';
import { below, optionCodec, validate } from '../configuration/option-errors.ts';
import { type ConfiguredPages, pagesBlock } from './pages-block.ts';

/** A language tag in its canonical form (RFC 5646, section 4.5). */
const languageTag = optionCodec<string>('a language tag such as de or pt-BR', t.string.is, (value, context) => {
  const tags = tryCatch(() => (t.string.is(value) ? Intl.getCanonicalLocales(value) : []), t.identity);
  const [tag] = isLeft(tags) ? [] : tags.right;
  return tag === undefined ? t.failure(value, context, 'expected a language tag such as de or pt-BR') : t.success(tag);
});

/** Values by language. Its keys decode to canonical tags. */
export type ByLanguage<A> = Readonly<Record<string, A>>;

/** A mapping from language tags. Two spellings of one tag are an error. */
const byLanguage = <A, Written>(item: Codec<A, Written>) =>
  optionCodec<ByLanguage<A>, ByLanguage<Written>>(
    `a mapping from language tags to: ${item.name}`,
    (value): value is ByLanguage<A> => isMapping(value) && Object.values(value).every((one) => item.is(one)),
    (value, context) => {
      if (!isMapping(value)) return t.failure(value, context, 'expected a mapping from language tags');
      const errors: t.Errors = [];
      const decoded = new Map<string, A>();
      for (const [key, given] of Object.entries(value)) {
        const at = below(context, key);
        const tag = validate(languageTag, key, at);
        const result = validate(item, given, at);
        for (const part of [tag, result]) if (isLeft(part)) errors.push(...part.left);
        if (isLeft(tag) || isLeft(result)) continue;
        if (decoded.has(tag.right)) errors.push({ value: key, context: at, message: 'is given twice' });
        decoded.set(tag.right, result.right);
      }
      return errors.length > 0 ? t.failures(errors) : t.success(Object.fromEntries(decoded));
    },
  );

/** A line of text, such as the subject of a mail. */
export const singleLine = refine(text, (line) => !/[\r\n]/.test(line), 'expected a single line');

/** An entry of `email.messages.<kind>.locales`. */
export const messageTextBlock = block({
  subject: required(singleLine, 'The subject.'),
  bodyTextFilePath: required(textFile, 'The text body.'),
  bodyHtmlFilePath: required(textFile, 'The HTML body.'),
  urlPlaceholderString: withDefault(
    text,
    defaultPlaceholder,
    'The text that the link or code replaces in both bodies.',
  ),
});

/** The content of a mail in one language. */
export type MessageText = Values<typeof messageTextBlock.options>;

/** A block whose only option is `locales`, by language tag. Its name tells it from blocks with a table of their own. */
const localesBlock = <A, W>(item: Codec<A, W>) => {
  const { is, decode } = block({ locales: withDefault(byLanguage(item), {}, 'The texts, by language tag.') });
  type Locales = { readonly locales: ByLanguage<A> };
  const codec: Codec<Locales, { readonly locales?: ByLanguage<W> | null }> = {
    name: 'a block with locales',
    is,
    decode,
  };
  return codec;
};

const kind = (mail: string) => optional(localesBlock(messageTextBlock), `${mail}.`);

/** The block `email.messages`. */
export const messagesBlock = block({
  verification: kind('Mails that verify an address'),
  recovery: kind('Mails with the link or code for a new password'),
  invitation: kind('Mails with the link for a first password'),
  change: kind('Mails with the link that confirms a new address'),
  changeNotice: kind('Mails to the former address, with the link that cancels its change'),
  passwordNotice: kind('Notices of another password'),
  recoveryNotice: kind('Notices of a password that a recovery replaced'),
  addressNotice: kind('Notices of another address, to the former one'),
  disabledNotice: kind('Notices of a disablement'),
  enabledNotice: kind('Notices of the end of a disablement'),
  deletedNotice: kind('Notices of a deletion'),
  accountExists: kind('Mails to people who sign up quietly and have an account'),
});

/** The options of the block `email` that choose languages. */
export const languageOptions = {
  defaultLocale: withDefault(languageTag, 'en', 'The language if no other one is chosen; en and de are built in.'),
  locales: withDefault(list(languageTag), [], 'Further languages. Those with texts below need no entry.'),
  localeProperty: optional(
    refine(text, (name) => !fixedFields.has(name), 'is a field of every user, not a custom property'),
    'The custom property with the language of a user.',
  ),
  messages: optional(messagesBlock, 'The texts of mails in further languages.'),
  pages: optional(localesBlock(pagesBlock), 'The texts of pages in further languages.'),
};

/** Whether texts of a language are built in. */
export const isBuiltIn = (tag: string): boolean => ['en', 'de'].includes(new Intl.Locale(tag).language);

/** The languages of mails and pages. */
export interface Languages {
  readonly defaultTag: string;
  /** All languages, the default one included. */
  readonly tags: readonly string[];
  /** The custom property with the language of a user; null for none. */
  readonly property: string | null;
  /** The configured texts of each kind. */
  readonly messages: Readonly<Record<MailKind, ByLanguage<MessageText>>>;
  /** The configured pages. */
  readonly pages: ByLanguage<ConfiguredPages>;
}

type LanguageValues = Values<typeof languageOptions>;

export const languagesOf = ({ defaultLocale, locales, localeProperty, messages, pages }: LanguageValues): Languages => {
  const texts = mapWithIndex((mail: MailKind) => messages?.[mail]?.locales ?? {})(messagesBlock.options);
  const ofPages = pages?.locales ?? {};
  const written = [...Object.values(texts), ofPages].flatMap((byTag) => Object.keys(byTag));
  const tags = [...new Set([defaultLocale, ...locales, ...written])];
  return { defaultTag: defaultLocale, tags, property: localeProperty, messages: texts, pages: ofPages };
};

/** Whether no user may have the custom property with the language. */
export const isPropertyForbidden = ({ property }: Languages, properties: PropertyRules | undefined): boolean =>
  property !== null &&
  properties !== undefined &&
  !properties.allowSuperset &&
  !properties.allowed.some(({ name }) => name === property);
