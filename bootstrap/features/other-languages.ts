// Loaded only where the configuration names a language besides English: the lookup has tables of all languages.
export { german as germanPages } from '../../adapters/http/pages/german-pages.ts';
export * as germanMails from '../../adapters/languages/german-mails.ts';
export { languageLookup, localeChoice } from '../../adapters/languages/language-lookup.ts';
