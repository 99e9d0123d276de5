import { byLinkOrBrowser, type PageLanguageChoice } from '../../adapters/http/api/page-routes.ts';
import { english } from '../../adapters/http/pages/english-pages.ts';
import { type Brand, directionOf, type PageLanguage, type PageTexts } from '../../adapters/http/pages/page-texts.ts';
import type { EmailBlock } from '../configuration/email-block.ts';

/** The built-in pages, loaded only if their language is configured. */
const builtIn: Readonly<Record<string, () => Promise<PageLanguage>>> = {
  en: async () => english,
  de: async () => (await import('../../adapters/http/pages/german-pages.ts')).german,
};

/** The name and logo of the product on pages; null if it has no name. */
export const brandOf = ({ product, logo }: EmailBlock): Brand | null =>
  product === null
    ? null
    : { name: product, logo: logo && `data:${logo.type};base64,${Buffer.from(logo.content).toString('base64')}` };

/** The pages of one kind of link in a language: the configured ones, else the built-in ones; undefined without any. */
const openLanguage = async (
  email: EmailBlock,
  tag: string,
  kind: keyof PageTexts,
): Promise<PageLanguage | undefined> => {
  const { languages } = email;
  const brand = brandOf(email);
  const given = languages.pages[tag]?.[kind] ?? null;
  const locale = languages.tags.length === 1 ? null : tag;
  const load = builtIn[new Intl.Locale(tag).language];
  if (given === null) return load === undefined ? undefined : { ...(await load()), locale, brand };
  const { texts } = english;
  return { tag, locale, direction: directionOf(tag), texts: { ...texts, [kind]: given }, brand };
};

/**
 * Opens the pages of one kind of link, and the choice among the languages that have them. If the default language has
 * none, English takes its place.
 */
export const openPageLanguages = async (email: EmailBlock, kind: keyof PageTexts): Promise<PageLanguageChoice> => {
  const { tags, defaultTag } = email.languages;
  const ofDefault = (await openLanguage(email, defaultTag, kind)) ?? { ...english, brand: brandOf(email) };
  if (tags.length === 1) return () => ofDefault;
  const byTag = new Map([[defaultTag, ofDefault]]);
  for (const tag of tags) {
    const language = await openLanguage(email, tag, kind);
    if (language !== undefined) byTag.set(tag, language);
  }
  const { languageLookup } = await import('../../adapters/languages/language-lookup.ts');
  return byLinkOrBrowser(byTag, languageLookup([...byTag.keys()], defaultTag), ofDefault);
};
