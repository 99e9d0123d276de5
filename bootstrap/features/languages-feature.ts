import { constant } from 'fp-ts/lib/function.js';
import { mapWithIndex } from 'fp-ts/lib/Record.js';
import { languagesOfMails } from '../../adapters/http/api/parameters.ts';
import { withLocale } from '../../adapters/http/paths.ts';
import * as english from '../../adapters/languages/english-mails.ts';
import { type MailBrand, mailTemplate } from '../../adapters/languages/mail-layout.ts';
import type { MailLanguage } from '../../adapters/languages/mail-words.ts';
import { isNotice, type LocaleChoice, type MailKind } from '../../application/outgoing/mail-queue.ts';
import {
  type LanguageTemplates,
  type LifetimeTexts,
  lifetimeTexts,
  logoId,
  type MailTemplate,
  MailTemplates,
} from '../../application/outgoing/mail-templates.ts';
import { moveLifetimeOf } from '../../domain/address-move.ts';
import type { EmailBlock } from '../configuration/email-block.ts';
import type { MessageOptions } from '../configuration/email-options.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Feature, FeatureContext, Mails } from './feature.ts';
import type { Languages } from './languages-block.ts';
import { loadOtherLanguages, openPageLanguages, productOf } from './page-languages.ts';

/** The built-in languages by the first subtag, loaded only if they are configured. */
const builtInMails: Readonly<Record<string, () => Promise<MailLanguage>>> = {
  en: async () => english,
  de: async () => (await loadOtherLanguages()).germanMails,
};

const builtInOf = (tag: string) => builtInMails[new Intl.Locale(tag).language];

/** How long the links and codes of a service work. */
export const lifetimesOf = ({ verification, recovery, invitations }: Configuration): LifetimeTexts => {
  const { tokenLifetimeMs } = verification;
  const ofMove = moveLifetimeOf(tokenLifetimeMs);
  return lifetimeTexts({
    verification: tokenLifetimeMs,
    recovery: recovery?.lifetimeMs ?? null,
    invitation: invitations?.lifetimeMs ?? null,
    change: ofMove,
    changeNotice: ofMove,
    accountExists: null,
  });
};

const mailOf = (kind: keyof LanguageTemplates): MailKind => {
  if (kind === 'verificationCode') return 'verification';
  return kind === 'recoveryCode' ? 'recovery' : kind;
};

const builtInTemplates = (
  language: MailLanguage,
  brand: MailBrand | undefined,
  lifetimes: LifetimeTexts,
  noticeLink: string,
  placeholder?: string,
): LanguageTemplates => {
  const placeholderOf = (kind: keyof LanguageTemplates): string | null | undefined => {
    if (mailOf(kind) === 'verification') return placeholder;
    return isNotice(kind) && noticeLink === '' ? null : undefined;
  };
  return mapWithIndex((kind: keyof LanguageTemplates) =>
    mailTemplate(kind, language, brand, lifetimes(mailOf(kind), language.frame.tag), placeholderOf(kind)),
  )(language.wordsFor(null, null));
};

/** `messageOptions` is the verification mail of the default language. */
const withMessage = (templates: LanguageTemplates, { subject, text, html }: MessageOptions): LanguageTemplates =>
  mapWithIndex((kind: keyof LanguageTemplates, template: MailTemplate) => {
    if (mailOf(kind) !== 'verification') return template;
    return {
      ...template,
      subject: subject ?? template.subject,
      text: text ?? template.text,
      html: html ?? template.html,
    };
  })(templates);

/** The configured texts of a language, and `others` for the mails that have none. */
const withTexts = (
  others: LanguageTemplates,
  { messages }: Languages,
  tag: string,
  lifetimes: LifetimeTexts,
): LanguageTemplates =>
  mapWithIndex((kind: keyof LanguageTemplates, other: MailTemplate) => {
    const given = messages[mailOf(kind)][tag];
    if (given === undefined) return other;
    const { subject, bodyTextFilePath: text, bodyHtmlFilePath: html, urlPlaceholderString: placeholder } = given;
    return { subject, text, html, placeholder, lifetime: lifetimes(mailOf(kind), tag) };
  })(others);

const openChoice = async ({ tags, defaultTag, property }: Languages): Promise<LocaleChoice> => {
  if (tags.length === 1) return constant(defaultTag);
  const { languageLookup, localeChoice } = await loadOtherLanguages();
  return localeChoice(languageLookup(tags, defaultTag), property);
};

/**
 * Opens the texts of all mails in the configured languages, and the choice of a language. `noticeLink` is the page on which
 * people ask for a new password; empty without one.
 */
export const openMails = async (
  { message, languages, product, logo }: EmailBlock,
  lifetimes: LifetimeTexts,
  noticeLink = '',
): Promise<Mails> => {
  const brand = product === null ? undefined : { name: product, hasLogo: logo !== null };
  const { defaultTag, tags } = languages;
  const ofDefault = withMessage(
    builtInTemplates((await builtInOf(defaultTag)?.()) ?? english, brand, lifetimes, noticeLink, message.placeholder),
    message,
  );
  const defaultTemplates = withTexts(ofDefault, languages, defaultTag, lifetimes);
  const templates = new Map([[defaultTag, defaultTemplates]]);
  for (const tag of tags.filter((other) => other !== defaultTag)) {
    const load = builtInOf(tag);
    const others = load === undefined ? defaultTemplates : builtInTemplates(await load(), brand, lifetimes, noticeLink);
    templates.set(tag, withTexts(others, languages, tag, lifetimes));
  }
  return {
    texts: new MailTemplates(
      templates,
      defaultTemplates,
      logo === null ? [] : [{ ...logo, contentId: logoId }],
      tags.length === 1 ? undefined : withLocale,
      noticeLink,
    ),
    localeOf: await openChoice(languages),
  };
};

/** The mails of the block `email`, in its languages. */
export const open = async (email: EmailBlock, { configuration }: FeatureContext): Promise<Feature> => {
  const lifetimes = lifetimesOf(configuration);
  return {
    collaborators: {
      mails: await openMails(email, lifetimes, configuration.recovery?.requestUrl ?? ''),
      pages: { languageOf: (kind) => openPageLanguages(email, kind, lifetimes), ...productOf(email) },
    },
    api: email.languages.tags.length > 1 ? { mailLanguages: languagesOfMails } : {},
  };
};
