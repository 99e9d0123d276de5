import { match } from '@formatjs/intl-localematcher';
import type { LocaleChoice } from '../../application/outgoing/mail-queue.ts';
import { isMapping } from '../kit/option-block.ts';

/** Returns one of the configured languages for the requested ones, which are in order of preference. */
type LanguageLookup = (requested: readonly string[]) => string;

/** Limits the work for one request, which may name any number of languages. */
const maxRequested = 20;

/**
 * The maximum length of a tag, longer than those in use (RFC 5646, section 4.4.1). Longer text is no tag: the canonical
 * form takes quadratic time, and a custom property can have 350 KiB.
 */
const maxTagLength = 100;

/** The canonical form of a tag; empty for `*` and for text that is no tag. Some platforms write `de_AT`. */
const canonicalTag = (text: string): readonly string[] => {
  if (text.length > maxTagLength) return [];
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'));
  } catch {
    return [];
  }
};

/** The lookup of RFC 4647, section 3.4. `available` are canonical tags. */
export const languageLookup =
  (available: readonly string[], defaultTag: string): LanguageLookup =>
  (requested) =>
    match(requested.slice(0, maxRequested).flatMap(canonicalTag), available, defaultTag, { algorithm: 'lookup' });

/** The value of a property if it is text. */
const textIn = (properties: string, name: string): readonly string[] => {
  const values: unknown = JSON.parse(properties);
  const value = isMapping(values) && Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === 'string' ? [value] : [];
};

/**
 * Prefers the language that the custom property `property` of the user names; null to use only the requested languages.
 */
export const localeChoice =
  (lookup: LanguageLookup, property: string | null): LocaleChoice =>
  ({ properties }, requested) =>
    lookup(property === null ? requested : [...textIn(properties, property), ...requested]);
