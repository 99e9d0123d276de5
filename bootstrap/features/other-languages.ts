// What languages besides English need; loaded where the configuration names one. The choice among several has tables of all.
export { german as germanPages } from '../../adapters/http/pages/german-pages.ts';
export * as germanMails from '../../adapters/languages/german-mails.ts';
export { languageLookup, localeChoice } from '../../adapters/languages/language-lookup.ts';
