import { html as escaped } from '@remix-run/html-template';
import type { InlineImage, Mail } from '../ports/mailer.ts';
import { isNotice, type MailKind, type MailRequest, type MailTexts } from './mail-queue.ts';

/** The content of a mail before the link or code and the address are inserted. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Replaced by the link or code in both bodies. */
  readonly placeholder: string;
  /** How long the link or code works, in the language of the mail; null if it works for ever. */
  readonly lifetime: (() => string) | null;
}

/** Replaced in both bodies by the address that a mail is about: that of its account, unless the mail tells of a new one. */
export const addressPlaceholder = 'CODEGEN-ADDRESS';

/** Replaced in both bodies by how long the link or code works. */
export const lifetimePlaceholder = 'CODEGEN-LIFETIME';

/** Replaces placeholders in one pass, because a value may contain one. */
const filled = (
  body: string,
  [first, ...others]: readonly (readonly [placeholder: string, value: string])[],
): string =>
  first === undefined
    ? body
    : body
        .split(first[0])
        .map((part) => filled(part, others))
        // Split and join, because `replace` interprets `$&` and the like in the replacement.
        .join(first[1]);

const hourMs = 60 * 60_000;

/** From the largest unit to the smallest, with the smallest number shown in each: 24 hours instead of 1 day, but 2 days. */
const units = [
  { unit: 'day', ms: 24 * hourMs, fewest: 2 },
  { unit: 'hour', ms: hourMs, fewest: 1 },
  { unit: 'minute', ms: 60_000, fewest: 1 },
] as const;

/** A duration in words, such as `24 hours` or `90 minutes`, in the largest unit of which it is a whole number. */
const durationIn = (tag: string, durationMs: number): string => {
  const whole = units.find(({ ms, fewest }) => durationMs % ms === 0 && durationMs >= fewest * ms);
  const { unit, ms } = whole ?? { unit: 'second', ms: 1_000 };
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(durationMs / ms);
};

/** How long the link or code of a mail works, in the words of a language; null if it works for ever. */
export type LifetimeTexts = (kind: MailKind, tag: string) => (() => string) | null;

/** Each text is made when the first mail or page needs it, because a start would wait for the tables of Intl. */
export const lifetimeTexts =
  (lifetimesMs: Readonly<Partial<Record<MailKind, number | null>>>): LifetimeTexts =>
  (kind, tag) => {
    const lifetimeMs = lifetimesMs[kind] ?? null;
    let made: string | undefined;
    return lifetimeMs === null
      ? null
      : () => {
          made ??= durationIn(tag, lifetimeMs);
          return made;
        };
  };

/** The content id of the logo: a body with `cid:logo` gets it as an embedded image. */
export const logoId = 'logo';

/** The templates of mails with a code instead of a link. */
const codeTemplates = { verification: 'verificationCode', recovery: 'recoveryCode' } as const;

/** The templates of one language: one for each kind, and others for mails with a code. */
export type LanguageTemplates = Readonly<
  Record<MailKind | (typeof codeTemplates)[keyof typeof codeTemplates], MailTemplate>
>;

const mayHaveCode = (kind: MailKind): kind is keyof typeof codeTemplates => Object.hasOwn(codeTemplates, kind);

const codePattern = /^\d+$/;

/** Escapes text for the content of an element or a quoted attribute. */
export const asHtml = (text: string): string => escaped`${text}`.toString();

/** Writes mails from the templates of each language. */
export class MailTemplates implements MailTexts {
  constructor(
    /** By language tag. */
    private readonly languages: ReadonlyMap<string, LanguageTemplates>,
    /** Used for a mail in a language that is not configured any more. */
    private readonly defaultLanguage: LanguageTemplates,
    /** A body with `cid:` and the id of one of them gets it. */
    private readonly images: readonly InlineImage[] = [],
    /** Adds the language of the mail to its link, so that its pages have the same one. */
    private readonly linkIn: (link: string, locale: string) => string = (link) => link,
    /** Where the recipients of notices ask for a new password; empty without such a page. */
    private readonly noticeLink = '',
  ) {}

  compose({ kind, to, locale, secret, about = to }: MailRequest): Mail {
    const templates = this.languages.get(locale) ?? this.defaultLanguage;
    const codeTemplate = mayHaveCode(kind) && codePattern.test(secret) ? codeTemplates[kind] : undefined;
    const isCode = codeTemplate !== undefined;
    const { subject, text, html, placeholder, lifetime } = templates[codeTemplate ?? kind];
    const isOfNotice = secret === '' && isNotice(kind);
    const target = isOfNotice ? this.noticeLink : secret;
    const shown = isCode || target === '' ? target : this.linkIn(target, locale);
    const fill = (body: string, write: (value: string) => string): string =>
      filled(body, [
        [placeholder, write(shown)],
        [addressPlaceholder, write(about)],
        ...(lifetime === null ? [] : [[lifetimePlaceholder, write(lifetime())] as const]),
      ]);
    const images = this.images.filter(({ contentId }) => html.includes(`cid:${contentId}`));
    const hasLink = isOfNotice ? shown !== '' && text.includes(placeholder) : !isCode;
    const link = hasLink ? { link: shown } : {};
    return {
      to,
      subject,
      text: fill(text, String),
      html: fill(html, asHtml),
      ...link,
      ...(images.length > 0 && { images }),
    };
  }
}
