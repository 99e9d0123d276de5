import { byAcceptLanguage, type PageLanguageChoice } from '../../adapters/http/api/request-languages.ts';
import type { PageLanguage } from '../../adapters/http/pages/page-texts.ts';
import type { Languages } from '../configuration/languages-block.ts';

/** The built-in pages of a language, loaded only if it is configured. English for other languages. */
const loadLanguage = async (tag: string): Promise<PageLanguage> =>
  new Intl.Locale(tag).language === 'de'
    ? (await import('../../adapters/http/pages/german-pages.ts')).german
    : (await import('../../adapters/http/pages/english-pages.ts')).english;

/** Opens the texts of the pages in the configured languages, and the choice of a language for a request. */
export const openPageLanguages = async ({ tags, defaultTag }: Languages): Promise<PageLanguageChoice> => {
  const ofDefault = await loadLanguage(defaultTag);
  if (tags.length === 1) return () => ofDefault;
  const languages = new Map<string, PageLanguage>();
  for (const tag of tags) languages.set(tag, await loadLanguage(tag));
  const { languageLookup } = await import('../../adapters/languages/language-lookup.ts');
  return byAcceptLanguage(languages, languageLookup(tags, defaultTag), ofDefault);
};
