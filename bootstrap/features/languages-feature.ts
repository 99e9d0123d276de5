import { withLocale } from '../../adapters/http/paths.ts';
import * as english from '../../adapters/languages/english-mails.ts';
import { type MailBrand, type MailLanguage, mailTemplate } from '../../adapters/languages/mail-layout.ts';
import type { LocaleChoice, MailKind } from '../../application/outgoing/mail-queue.ts';
import {
  type LanguageTemplates,
  logoId,
  type MailTemplate,
  MailTemplates,
} from '../../application/outgoing/mail-templates.ts';
import type { EmailBlock } from '../configuration/email-block.ts';
import type { Languages } from '../configuration/languages-block.ts';
import type { MessageOptions } from '../configuration/message-block.ts';
import type { Feature, Mails } from './feature.ts';

/** The built-in languages by the first subtag, loaded only if they are configured. */
const builtIn: Readonly<Record<string, () => Promise<MailLanguage>>> = {
  en: async () => english,
  de: () => import('../../adapters/languages/german-mails.ts'),
};

const builtInOf = (tag: string) => builtIn[new Intl.Locale(tag).language];

const builtInTemplates = (
  language: MailLanguage,
  brand: MailBrand | null,
  placeholder?: string,
): LanguageTemplates => ({
  verification: mailTemplate('verification', language, brand, placeholder),
  recovery: mailTemplate('recovery', language, brand),
  recoveryCode: mailTemplate('recoveryCode', language, brand),
  change: mailTemplate('change', language, brand),
  changeNotice: mailTemplate('changeNotice', language, brand),
});

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
export const openMails = async ({ message, languages, product, logo }: EmailBlock): Promise<Mails> => {
  const brand = product === null ? null : { name: product, hasLogo: logo !== null };
  const { defaultTag, tags } = languages;
  const ofDefault = withMessage(
    builtInTemplates((await builtInOf(defaultTag)?.()) ?? english, brand, message.placeholder),
    message,
  );
  const defaultTemplates = withTexts(ofDefault, languages, defaultTag);
  const templates = new Map([[defaultTag, defaultTemplates]]);
  for (const tag of tags.filter((other) => other !== defaultTag)) {
    const load = builtInOf(tag);
    const others = load === undefined ? defaultTemplates : builtInTemplates(await load(), brand);
    templates.set(tag, withTexts(others, languages, tag));
  }
  return {
    texts: new MailTemplates(
      templates,
      defaultTemplates,
      logo && { ...logo, contentId: logoId },
      tags.length === 1 ? undefined : withLocale,
    ),
    localeOf: await openChoice(languages),
  };
};

/** The mails of the block `email`, in its languages. */
export const open = async (email: EmailBlock): Promise<Feature> => ({
  collaborators: { mails: await openMails(email) },
});
