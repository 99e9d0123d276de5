import { byLinkOrBrowser, type PageLanguageChoice } from '../../adapters/http/api/page-routes.ts';
import { languagesOfMails } from '../../adapters/http/api/parameters.ts';
import { english as englishPages } from '../../adapters/http/pages/english-pages.ts';
import {
  directionOf,
  type PageLanguage,
  type PageTexts,
  productPlaceholder,
} from '../../adapters/http/pages/page-texts.ts';
import { withLocale } from '../../adapters/http/paths.ts';
import * as english from '../../adapters/languages/english-mails.ts';
import { type MailBrand, type MailLanguage, mailTemplate } from '../../adapters/languages/mail-layout.ts';
import type { LocaleChoice } from '../../application/outgoing/mail-queue.ts';
import {
  type LanguageTemplates,
  logoId,
  type MailTemplate,
  MailTemplates,
} from '../../application/outgoing/mail-templates.ts';
import type { EmailBlock } from '../configuration/email-block.ts';
import type { Languages } from '../configuration/languages-block.ts';
import type { MessageOptions } from '../configuration/message-block.ts';
import type { Feature, Mails } from './feature.ts';

/** The built-in languages by the first subtag, loaded only if they are configured. */
const builtInMails: Readonly<Record<string, () => Promise<MailLanguage>>> = {
  en: async () => english,
  de: () => import('../../adapters/languages/german-mails.ts'),
};

const builtInOf = (tag: string) => builtInMails[new Intl.Locale(tag).language];

/** The template of each mail. */
const templatesOf = (templateOf: (kind: keyof LanguageTemplates) => MailTemplate): LanguageTemplates => ({
  verification: templateOf('verification'),
  recovery: templateOf('recovery'),
  recoveryCode: templateOf('recoveryCode'),
  change: templateOf('change'),
  changeNotice: templateOf('changeNotice'),
});

const builtInTemplates = (language: MailLanguage, brand: MailBrand | null, placeholder?: string): LanguageTemplates =>
  templatesOf((kind) => mailTemplate(kind, language, brand, kind === 'verification' ? placeholder : undefined));

/** `messageOptions` is the verification mail of the default language. */
const withMessage = (templates: LanguageTemplates, { subject, text, html }: MessageOptions): LanguageTemplates => {
  const { verification } = templates;
  return {
    ...templates,
    verification: {
      ...verification,
      subject: subject ?? verification.subject,
      text: text ?? verification.text,
      html: html ?? verification.html,
    },
  };
};

/** The configured texts of a language, and `others` for the mails that have none. */
const withTexts = (others: LanguageTemplates, { messages }: Languages, tag: string): LanguageTemplates =>
  templatesOf((kind) => {
    const given = messages[kind === 'recoveryCode' ? 'recovery' : kind][tag];
    if (given === undefined) return others[kind];
    const { subject, bodyTextFilePath: text, bodyHtmlFilePath: html, urlPlaceholderString: placeholder } = given;
    return { subject, text, html, placeholder };
  });

/** Loads tables of languages. */
const lookup = () => import('../../adapters/languages/language-lookup.ts');

const openChoice = async ({ tags, defaultTag, property }: Languages): Promise<LocaleChoice> => {
  if (tags.length === 1) return () => defaultTag;
  const { languageLookup, localeChoice } = await lookup();
  return localeChoice(languageLookup(tags, defaultTag), property);
};

/** The built-in pages, loaded only if their language is configured. */
const builtInPages: Readonly<Record<string, () => Promise<PageLanguage>>> = {
  en: async () => englishPages,
  de: async () => (await import('../../adapters/http/pages/german-pages.ts')).german,
};

/** The name and logo of the product on pages, and where they lead. */
const productOf = ({ product, logo, productUrl }: EmailBlock): Pick<PageLanguage, 'brand' | 'product'> => ({
  brand:
    product === null
      ? null
      : { name: product, logo: logo && `data:${logo.type};base64,${Buffer.from(logo.content).toString('base64')}` },
  product: productUrl === null ? null : { name: product ?? new URL(productUrl).host, url: productUrl },
});

/** The pages of one kind of link in a language: the configured ones, else the built-in ones; undefined without any. */
const openLanguage = async (
  email: EmailBlock,
  tag: string,
  kind: keyof PageTexts,
): Promise<PageLanguage | undefined> => {
  const { languages } = email;
  const configured = languages.pages[tag];
  const given = configured?.[kind] ?? null;
  const builtIn = await builtInPages[new Intl.Locale(tag).language]?.();
  if (given === null && builtIn === undefined) return undefined;
  return {
    tag: given === null ? (builtIn?.tag ?? tag) : tag,
    locale: languages.tags.length === 1 ? null : tag,
    direction: directionOf(tag),
    texts: { ...(builtIn ?? englishPages).texts, ...(given !== null && { [kind]: given }) },
    continueTo: configured?.continueTo ?? builtIn?.continueTo ?? productPlaceholder,
    ...productOf(email),
  };
};

/**
 * Opens the pages of one kind of link, and the choice among the languages that have them. If the default language has
 * none, English takes its place.
 */
const openPageLanguages = async (email: EmailBlock, kind: keyof PageTexts): Promise<PageLanguageChoice> => {
  const { tags, defaultTag } = email.languages;
  const ofDefault = (await openLanguage(email, defaultTag, kind)) ?? { ...englishPages, ...productOf(email) };
  if (tags.length === 1) return () => ofDefault;
  const byTag = new Map([[defaultTag, ofDefault]]);
  for (const tag of tags) {
    const language = await openLanguage(email, tag, kind);
    if (language !== undefined) byTag.set(tag, language);
  }
  const { languageLookup } = await lookup();
  return byLinkOrBrowser(byTag, languageLookup([...byTag.keys()], defaultTag), ofDefault);
};

/** Opens the texts of all mails in the configured languages, and the choice of a language. */
export const openMails = async ({ message, languages, product, logo }: EmailBlock): Promise<Mails> => {
  const brand = product === null ? null : { name: product, hasLogo: logo !== null };
  const { defaultTag, tags } = languages;
  const ofDefault = withMessage(
    builtInTemplates((await builtInOf(defaultTag)?.()) ?? english, brand, message.placeholder),
    message,
  );
  const defaultTemplates = withTexts(ofDefault, languages, defaultTag);
  const templates = new Map([[defaultTag, defaultTemplates]]);
  for (const tag of tags.filter((other) => other !== defaultTag)) {
    const load = builtInOf(tag);
    const others = load === undefined ? defaultTemplates : builtInTemplates(await load(), brand);
    templates.set(tag, withTexts(others, languages, tag));
  }
  return {
    texts: new MailTemplates(
      templates,
      defaultTemplates,
      logo && { ...logo, contentId: logoId },
      tags.length === 1 ? undefined : withLocale,
    ),
    localeOf: await openChoice(languages),
  };
};

/** The mails of the block `email`, in its languages. */
export const open = async (email: EmailBlock): Promise<Feature> => ({
  collaborators: {
    mails: await openMails(email),
    pages: { languageOf: (kind) => openPageLanguages(email, kind), ...productOf(email) },
  },
  api: email.languages.tags.length > 1 ? { mailLanguages: languagesOfMails } : {},
});
