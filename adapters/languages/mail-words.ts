import type { LanguageTemplates } from '../../application/outgoing/mail-templates.ts';

/** The words of one built-in mail. Besides the name of the product, they have no characters that HTML escapes. */
export interface MailWords {
  readonly subject: string;
  /** By default the subject. */
  readonly title?: string;
  /** The preview text, which mail clients show after the subject. */
  readonly preview: string;
  /** The paragraph before the link or code. */
  readonly textLead: string;
  /** The one in the HTML body, if a button makes it another. */
  readonly htmlLead?: string;
  /** The label of the button; null if the mail has a code instead of a link. */
  readonly button: string | null;
  /** False if the mail has neither a link nor a code. */
  readonly hasAction?: boolean;
  /** The last paragraph. */
  readonly note: string;
}

/**
 * The words of the mails of a language. `product` is the name of the product, null without one; `lifetime` stands for how
 * long the link or code works, null if that has no end.
 */
export type WordsFor = (
  product: string | null,
  lifetime: string | null,
) => Readonly<Record<keyof LanguageTemplates, MailWords>>;

/** The words of a language that all its mails share. */
export interface LanguageFrame {
  /** The language tag (RFC 5646). */
  readonly tag: string;
  /** The sentence before the link that is repeated below the button. */
  readonly otherwise: string;
}

/** A built-in language. */
export interface MailLanguage {
  readonly frame: LanguageFrame;
  readonly wordsFor: WordsFor;
}

/** The words of a notice. Its button is left out where no page is configured, so that they are complete without it. */
export const noticeWords = (subject: string, lead: string, note: string, button: string | null = null): MailWords => ({
  subject,
  preview: lead,
  textLead: lead,
  button,
  hasAction: button !== null,
  note,
});
