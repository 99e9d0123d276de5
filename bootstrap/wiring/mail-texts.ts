import { type LanguageFrame, type MailWords, mailTemplate } from '../../adapters/languages/mail-layout.ts';
import { Fault } from '../../application/fault.ts';
import type { LocaleChoice, MailKind, MailTexts } from '../../application/users/mail-queue.ts';
import { type LanguageTemplates, type MailTemplate, MailTemplates } from '../../application/users/mail-templates.ts';
import type { EmailBlock, MessageOptions } from '../configuration/email-block.ts';
import type { Languages } from '../configuration/languages-block.ts';

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
const builtIn = {
  en: (): Promise<Language> => import('../../adapters/languages/english-mails.ts'),
  de: (): Promise<Language> => import('../../adapters/languages/german-mails.ts'),
};

/** The built-in language of a tag: that of its first subtag. English for other languages. */
const loadLanguage = (tag: string): Promise<Language> =>
  new Intl.Locale(tag).language === 'de' ? builtIn.de() : builtIn.en();

const builtInTemplates = ({ words, frame }: Language, placeholder?: string): LanguageTemplates => ({
  verification: mailTemplate(words.verification, frame, placeholder),
  recovery: mailTemplate(words.recovery, frame),
  recoveryCode: mailTemplate(words.recoveryCode, frame),
  change: mailTemplate(words.change, frame),
  changeNotice: mailTemplate(words.changeNotice, frame),
});

const isBuiltIn = (tag: string): boolean => Object.hasOwn(builtIn, new Intl.Locale(tag).language);

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
const withTexts = (others: LanguageTemplates, { messages }: Languages, tag: string): LanguageTemplates => {
  const templateOf = (kind: MailKind): MailTemplate | undefined => {
    const given = messages[kind][tag];
    return given === undefined
      ? undefined
      : {
          subject: given.subject,
          text: given.bodyTextFilePath,
          html: given.bodyHtmlFilePath,
          placeholder: given.urlPlaceholderString,
        };
  };
  const recovery = templateOf('recovery');
  return {
    verification: templateOf('verification') ?? others.verification,
    recovery: recovery ?? others.recovery,
    recoveryCode: recovery ?? others.recoveryCode,
    change: templateOf('change') ?? others.change,
    changeNotice: templateOf('changeNotice') ?? others.changeNotice,
  };
};

const openChoice = async ({ tags, defaultTag, property }: Languages): Promise<LocaleChoice> => {
  if (tags.length === 1) return () => defaultTag;
  const { languageLookup, localeChoice } = await import('../../adapters/languages/language-lookup.ts');
  return localeChoice(languageLookup(tags, defaultTag), property);
};

/** Opens the texts of all mails in the configured languages, and the choice of a language. */
export const openMails = async ({ message, languages }: EmailBlock): Promise<Mails> => {
  const { defaultTag, tags } = languages;
  const ofDefault = withMessage(builtInTemplates(await loadLanguage(defaultTag), message.placeholder), message);
  const defaultTemplates = withTexts(ofDefault, languages, defaultTag);
  const templates = new Map([[defaultTag, defaultTemplates]]);
  for (const tag of tags.filter((other) => other !== defaultTag)) {
    const others = isBuiltIn(tag) ? builtInTemplates(await loadLanguage(tag)) : defaultTemplates;
    templates.set(tag, withTexts(others, languages, tag));
  }
  return {
    texts: new MailTemplates(templates, defaultTemplates),
    localeOf: await openChoice(languages),
  };
};
