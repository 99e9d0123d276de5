import {
  defaultPlaceholder,
  type LanguageFrame,
  type MailWords,
  mailTemplate,
} from '../../adapters/mail-texts/mail-layout.ts';
import { Fault } from '../../application/fault.ts';
import type { LocaleChoice, MailTexts } from '../../application/users/mail-queue.ts';
import { type LanguageTemplates, MailTemplates } from '../../application/users/mail-templates.ts';
import type { EmailBlock, MessageOptions } from '../configuration/email-block.ts';

/** What the use cases need for mails. */
export interface Mails {
  readonly texts: MailTexts;
  readonly localeOf: LocaleChoice;
}

/** Used where no mails are sent. */
export const withoutMails: Mails = {
  texts: {
    compose: () => {
      throw new Fault('mail_failed', 'email is disabled in the configuration');
    },
  },
  localeOf: () => 'en',
};

/** The words of a built-in language. */
interface Language {
  readonly frame: LanguageFrame;
  readonly words: Readonly<Record<keyof LanguageTemplates, MailWords>>;
}

/** The built-in languages, loaded only if they are configured. */
const languages = {
  en: (): Promise<Language> => import('../../adapters/mail-texts/english-mails.ts'),
  de: (): Promise<Language> => import('../../adapters/mail-texts/german-mails.ts'),
};

const builtIn = ({ words, frame }: Language, placeholder: string): LanguageTemplates => ({
  verification: mailTemplate(words.verification, frame, placeholder),
  recovery: mailTemplate(words.recovery, frame),
  recoveryCode: mailTemplate(words.recoveryCode, frame),
  change: mailTemplate(words.change, frame),
  changeNotice: mailTemplate(words.changeNotice, frame),
});

/** `messageOptions` is the verification mail of the default language. */
const withMessage = (templates: LanguageTemplates, message: MessageOptions): LanguageTemplates => {
  const { subject, text, html } = message;
  const { verification } = templates;
  return {
    ...templates,
    verification: { ...verification, subject, text: text ?? verification.text, html: html ?? verification.html },
  };
};

/** Opens the texts of all mails in the configured languages, and the choice of a language. */
export const openMails = async ({ message }: EmailBlock): Promise<Mails> => {
  const [en, de] = await Promise.all([languages.en(), languages.de()]);
  const english = withMessage(builtIn(en, message.placeholder), message);
  const templates = new Map([
    ['en', english],
    ['de', builtIn(de, defaultPlaceholder)],
  ]);
  return { texts: new MailTemplates(templates, english), localeOf: () => 'en' };
};
