import type { FieldError, PasswordRule } from '../../../domain/failure.ts';

/** The texts of a page, as plain text. */
export interface PageText {
  /** The heading, and the title of the document. */
  readonly title: string;
  readonly sentence: string;
  /** What the reader can do next. */
  readonly hint?: string | null | undefined;
  /** The address in the sentence, which is kept on one line where it fits. */
  readonly address?: string;
}

/** The texts of a page with a form. */
export interface FormText extends PageText {
  readonly button: string;
}

/** The pages of one kind of link. */
interface LinkTexts {
  /** The page that the link opens, whose button acts. */
  readonly ask: FormText;
  /** The page after the action. */
  readonly done: PageText;
  /** The link is incomplete, used or replaced. */
  readonly invalid: PageText;
  readonly expired: PageText;
  /** The user does not exist. */
  readonly unknown: PageText;
  /** Too many wrong tokens were sent. */
  readonly blocked?: PageText;
  /** The new address belongs to another user. */
  readonly taken?: PageText;
  /** The database is not available. */
  readonly unavailable: PageText;
  /** Any other failure. */
  readonly failed: PageText;
  /** How long a link works, after the hints of `ask` and `invalid` where that is configured. */
  readonly lifetime?: string | null;
}

/** The pages of the link for a new password. */
export interface RecoveryTexts extends LinkTexts {
  readonly blocked: PageText;
  /** The labels of the fields. */
  readonly address: string;
  readonly password: string;
  /** What a new password has to be; a rule without a text is not shown. */
  readonly rules?: PasswordRuleTexts | null;
  /** Why a new password is refused, where `refused` has no text for the reason. */
  readonly weak: string;
  readonly unsuitable: string;
  readonly refused?: PasswordRuleTexts | null;
}

/** What a password must be instead, for each rule; CODEGEN-LIMIT is the number of the rule. */
type PasswordRuleTexts = Readonly<Partial<Record<PasswordRule, string | null>>>;

/** The pages of the link that confirms a new address. */
interface MoveTexts extends LinkTexts {
  readonly taken: PageText;
}

/** The texts of all pages in one language. */
export interface PageTexts {
  readonly verification: LinkTexts;
  readonly recovery: RecoveryTexts;
  /** The link for a first password. */
  readonly invitation: RecoveryTexts;
  readonly change: MoveTexts;
  /** Cancels an address move. */
  readonly cancellation: LinkTexts;
}

/** What pages show of the product. */
export interface Brand {
  readonly name: string;
  /** A data URL; null for the name alone. */
  readonly logo: string | null;
}

/** The product, to which the last pages lead. */
interface Product {
  readonly name: string;
  readonly url: string;
}

/** A language of pages. */
export interface PageLanguage {
  /** The language tag (RFC 5646). */
  readonly tag: string;
  /** The tag under which the language is configured, which the links of pages repeat; null if no other one is. */
  readonly locale: string | null;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: PageTexts;
  /** Null if the product has no name. */
  readonly brand: Brand | null;
  /** The label of the link to the product; CODEGEN-PRODUCT is its name. */
  readonly continueTo: string;
  /** Null if pages do not lead to the product. */
  readonly product: Product | null;
  /** How long the link of these pages works; null if it works for ever. */
  readonly lifetime: (() => string) | null;
}

/** The scripts that are written from right to left (UAX #44, Bidi_Class R and AL), by their ISO 15924 codes. */
const rightToLeft: ReadonlySet<string | undefined> = new Set('Adlm Arab Hebr Mand Nkoo Rohg Samr Syrc Thaa'.split(' '));

/** The direction of the script in which a language is usually written. */
export const directionOf = (tag: string): PageLanguage['direction'] =>
  rightToLeft.has(new Intl.Locale(tag).maximize().script) ? 'rtl' : 'ltr';

/** Where a text runs from right to left, isolates keep what is inserted in its order (UAX #9). */
const inserted = (text: string, placeholder: string, value: string, direction: PageLanguage['direction']): string =>
  text.split(placeholder).join(direction === 'rtl' ? `\u2068${value}\u2069` : value);

/** Replaced by the address of the user, as in mails. */
const addressPlaceholder = 'CODEGEN-ADDRESS';

/** A text about an address. */
export const aboutAddress = <Text extends PageText>(
  text: Text,
  address: string,
  { direction }: PageLanguage,
): Text => ({ ...text, sentence: inserted(text.sentence, addressPlaceholder, address, direction), address });

/** Replaced by the name of the product. */
export const productPlaceholder = 'CODEGEN-PRODUCT';

/** The label of the link to the product. */
export const continueLabel = (
  { continueTo, direction }: Pick<PageLanguage, 'continueTo' | 'direction'>,
  { name }: Product,
): string => inserted(continueTo, productPlaceholder, name, direction);

const limitPlaceholder = 'CODEGEN-LIMIT';

/** A rule of new passwords, with its number. */
export type StatedRule = Pick<FieldError, 'rule' | 'limit'>;

const ruleText = (texts: PasswordRuleTexts | null | undefined, { rule, limit }: StatedRule): string | undefined =>
  (rule && texts?.[rule])?.split(limitPlaceholder).join(String(limit));

/** The texts about the rules of new passwords, for people who choose one. */
export const ruleTexts = ({ rules: texts }: RecoveryTexts, rules: readonly StatedRule[]): readonly string[] =>
  rules.flatMap((rule) => ruleText(texts, rule) ?? []);

/** The texts about the rules that a new password breaks, or `general` where one of them has no text. */
export const passwordRefusal = (
  { refused }: RecoveryTexts,
  errors: readonly StatedRule[],
  general: string,
): readonly string[] => {
  const texts = errors.map((error) => ruleText(refused, error) ?? general);
  return texts.length === 0 ? [general] : [...new Set(texts)];
};

const lifetimePlaceholder = 'CODEGEN-LIFETIME';

/** A text with the lifetime of a link, which works for ever if that is null. */
const withLifetime = (text: string, { lifetime, direction }: PageLanguage): string =>
  lifetime === null
    ? text
    : // A line does not end between the number and its unit.
      inserted(text, lifetimePlaceholder, lifetime().replaceAll(' ', '\u00a0'), direction);

/** A text of pages of one kind that also says how long a link works, where that is configured. */
const sayingLifetime = <Text extends PageText>(text: Text, kind: keyof PageTexts, language: PageLanguage): Text => {
  const { lifetime } = language.texts[kind];
  if (!lifetime || language.lifetime === null) return text;
  const hint = withLifetime(lifetime, language);
  return { ...text, hint: text.hint ? `${text.hint} ${hint}` : hint };
};

/** The text of the page that a link opens. */
export const askText = (kind: keyof PageTexts, language: PageLanguage): FormText =>
  sayingLifetime(language.texts[kind].ask, kind, language);

/** The text for a link that failed with an HTTP status of 400 or above, and a problem code. */
export const failureText = (language: PageLanguage, kind: keyof PageTexts, status: number, code?: string): PageText => {
  const texts: LinkTexts = language.texts[kind];
  if (code === 'token_expired') return { ...texts.expired, sentence: withLifetime(texts.expired.sentence, language) };
  switch (status) {
    case 400:
      return sayingLifetime(texts.invalid, kind, language);
    case 404:
      return texts.unknown;
    case 409:
      return texts.taken ?? texts.failed;
    case 429:
      return texts.blocked ?? texts.failed;
    case 503:
      return texts.unavailable;
    default:
      return texts.failed;
  }
};
