import { constant } from 'fp-ts/lib/function.js';
import { byLinkOrBrowser, type PageLanguageChoice } from '../../adapters/http/api/page-routes.ts';
import { english as englishPages } from '../../adapters/http/pages/english-pages.ts';
import {
  directionOf,
  type PageLanguage,
  type PageTexts,
  productPlaceholder,
} from '../../adapters/http/pages/page-texts.ts';
import type { MailKind } from '../../application/outgoing/mail-queue.ts';
import type { LifetimeTexts } from '../../application/outgoing/mail-templates.ts';
import type { EmailBlock } from '../configuration/email-block.ts';

export const loadOtherLanguages = () => import('./other-languages.ts');

/** The built-in pages, loaded only if their language is configured. */
const builtInPages: Readonly<Record<string, () => Promise<PageLanguage>>> = {
  en: async () => englishPages,
  de: async () => (await loadOtherLanguages()).germanPages,
};

/** The name and logo of the product on pages, and where they lead. */
export const productOf = ({ product, logo, productUrl }: EmailBlock): Pick<PageLanguage, 'brand' | 'product'> => ({
  brand:
    product === null
      ? null
      : { name: product, logo: logo && `data:${logo.type};base64,${Buffer.from(logo.content).toString('base64')}` },
  product: productUrl === null ? null : { name: product ?? new URL(productUrl).host, url: productUrl },
});

/** The mail whose link opens the pages. */
const mailOf = (kind: keyof PageTexts): MailKind => (kind === 'cancellation' ? 'changeNotice' : kind);

/** The pages of one kind of link in a language: the configured ones, else the built-in ones; undefined without any. */
const openLanguage = async (
  email: EmailBlock,
  tag: string,
  kind: keyof PageTexts,
  lifetimes: LifetimeTexts,
): Promise<PageLanguage | undefined> => {
  const { languages } = email;
  const configured = languages.pages[tag];
  const given = configured?.[kind] ?? null;
  const builtIn = await builtInPages[new Intl.Locale(tag).language]?.();
  if (given === null && builtIn === undefined) return undefined;
  const shownTag = given === null ? (builtIn?.tag ?? tag) : tag;
  return {
    tag: shownTag,
    locale: languages.tags.length === 1 ? null : tag,
    // The tables of directions take milliseconds.
    direction: tag === builtIn?.tag ? builtIn.direction : directionOf(tag),
    texts: { ...(builtIn ?? englishPages).texts, ...(given !== null && { [kind]: given }) },
    continueTo: configured?.continueTo ?? builtIn?.continueTo ?? productPlaceholder,
    ...productOf(email),
    lifetime: lifetimes(mailOf(kind), shownTag),
  };
};

/**
 * Opens the pages of one kind of link, and the choice among the languages that have them. If the default language has
 * none, English takes its place.
 */
export const openPageLanguages = async (
  email: EmailBlock,
  kind: keyof PageTexts,
  lifetimes: LifetimeTexts,
): Promise<PageLanguageChoice> => {
  const { tags, defaultTag } = email.languages;
  const open = (tag: string) => openLanguage(email, tag, kind, lifetimes);
  const ofDefault = (await open(defaultTag)) ?? {
    ...englishPages,
    ...productOf(email),
    lifetime: lifetimes(mailOf(kind), englishPages.tag),
  };
  if (tags.length === 1) return constant(ofDefault);
  const byTag = new Map([[defaultTag, ofDefault]]);
  for (const tag of tags) {
    const language = await open(tag);
    if (language !== undefined) byTag.set(tag, language);
  }
  const { languageLookup } = await loadOtherLanguages();
  return byLinkOrBrowser(byTag, languageLookup([...byTag.keys()], defaultTag), ofDefault);
};
