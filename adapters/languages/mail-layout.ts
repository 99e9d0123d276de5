import {
  addressPlaceholder,
  asHtml,
  type LanguageTemplates,
  lifetimePlaceholder,
  logoId,
  type MailTemplate,
} from '../../application/outgoing/mail-templates.ts';
import type { LanguageFrame, MailLanguage, MailWords } from './mail-words.ts';

/** The default of `urlPlaceholderString` (docs/configuration.md, `email.messageOptions`). */
export const defaultPlaceholder = 'CODEGEN-URL';

/** The default of `email.messageOptions.subject` (the same page). */
export const defaultSubject = 'Account Verification';

const textBody = (
  { subject, title = subject, textLead, note }: MailWords,
  placeholder: string | null,
): string => `${title}

${textLead}
${placeholder === null ? '' : `\n${placeholder}\n`}
${note}
`;

const fonts = `font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;

// Dark colours for clients that support style sheets: `prefers-color-scheme`, and `data-ogsc` for Outlook.
const darkStyles: Readonly<Record<string, string>> = {
  '.ground': 'background-color:#0f0f12 !important',
  '.card': 'background-color:#1a1a1f !important;border-color:#2e2e36 !important',
  '.ink': 'color:#f4f4f5 !important',
  '.soft': 'color:#a8a8b3 !important',
  '.link': 'color:#a5b4fc !important',
  '.rule': 'border-color:#2e2e36 !important',
};

const darkRules = (prefix: string): string =>
  Object.entries(darkStyles)
    .map(([selector, declarations]) => `${prefix}${selector} { ${declarations} }`)
    .join('\n');

const head = (title: string): string => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 520px) { .card { padding: 32px 24px !important; } }
@media (prefers-color-scheme: dark) {
${darkRules('')}
}
${darkRules('[data-ogsc] ')}
</style>
</head>`;

/** Outlook on Windows renders with Word, which ignores the padding of a link, so it gets the button as a VML shape. */
const button = (
  label: string,
  placeholder: string,
): string => `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td align="left" style="border-radius:10px">
<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="${placeholder}" style="height:48px;v-text-anchor:middle;width:240px" arcsize="20%" stroke="f" fillcolor="#4f46e5"><w:anchorlock/><center style="color:#ffffff;font-family:Arial,sans-serif;font-size:16px;font-weight:bold">${label}</center></v:roundrect><![endif]-->
<!--[if !mso]><!--><a href="${placeholder}" style="display:inline-block;background-color:#4f46e5;border:1px solid #4f46e5;border-radius:10px;padding:13px 28px;${fonts};font-size:16px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">${label}</a><!--<![endif]-->
</td></tr></table>`;

const codeBox = (placeholder: string): string =>
  `<p class="ink" dir="ltr" style="margin:0;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:34px;line-height:44px;font-weight:700;letter-spacing:6px;color:#18181b">${placeholder}</p>`;

const plainLink = (otherwise: string, placeholder: string): string =>
  `<p class="soft" style="margin:28px 0 6px;${fonts};font-size:14px;line-height:21px;color:#56565f">${otherwise}</p>
<p style="margin:0;${fonts};font-size:14px;line-height:21px;word-break:break-all"><a class="link" href="${placeholder}" style="color:#4338ca;text-decoration:underline">${placeholder}</a></p>`;

// An anchor without a target, because mail clients make links of what looks like a web address, except in an anchor. An
// address has up to 254 characters, more than a line of a phone.
const addressMarkup = `<a style="color:inherit;text-decoration:none;font-weight:700;overflow-wrap:anywhere;word-break:break-word">${addressPlaceholder}</a>`;

// The blanks fill the preview, so that it does not show the text of the body.
const preheader = (preview: string): string =>
  `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px">${preview}${`\n${'&#847;&zwnj;&nbsp;'.repeat(20)}`.repeat(3)}</div>`;

/** What mails show of the product: its name, or an embedded logo whose alternative text is the name. */
export interface MailBrand {
  readonly name: string;
  readonly hasLogo: boolean;
}

/** `name` is markup. */
const brandLine = ({ name, hasLogo }: MailBrand): string =>
  hasLogo
    ? `<p style="margin:0 0 28px"><img src="cid:${logoId}" alt="${name}" height="40" style="display:block;height:40px;width:auto;max-width:100%;border:0;font:700 15px Arial,sans-serif;color:#18181b"></p>\n`
    : `<p class="ink" style="margin:0 0 24px;${fonts};font-size:15px;line-height:20px;font-weight:700;color:#18181b">${name}</p>\n`;

/** Tables and inline styles, because mail clients support little else. The name in `brand` is markup. */
const htmlBody = (
  { subject, title = subject, preview, textLead, htmlLead = textLead, button: label, note }: MailWords,
  { tag, otherwise }: LanguageFrame,
  placeholder: string | null,
  brand: MailBrand | undefined,
): string => {
  const action =
    placeholder === null
      ? ''
      : label === null
        ? codeBox(placeholder)
        : `${button(label, placeholder)}\n${plainLink(otherwise, placeholder)}`;
  return `<!doctype html>
<html lang="${tag}" dir="ltr">
${head(title)}
<body class="ground" style="margin:0;padding:0;background-color:#f4f4f7;word-spacing:normal">
${preheader(preview)}
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f4f4f7" style="background-color:#f4f4f7"><tr><td align="center" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="520" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;border-collapse:separate"><tr><td class="card" align="left" bgcolor="#ffffff" style="background-color:#ffffff;border:1px solid #e4e4ea;border-radius:16px;padding:40px">
${brand === undefined ? '' : brandLine(brand)}<h1 class="ink" style="margin:0 0 12px;${fonts};font-size:24px;line-height:31px;font-weight:700;color:#18181b">${title}</h1>
<p class="soft" style="margin:0 0 28px;${fonts};font-size:16px;line-height:25px;color:#56565f">${htmlLead}</p>
${action}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td height="28" style="height:28px;font-size:0;line-height:0">&nbsp;</td></tr><tr><td class="rule" height="28" style="height:28px;border-top:1px solid #e4e4ea;font-size:0;line-height:0">&nbsp;</td></tr></table>
<p class="soft" style="margin:0;${fonts};font-size:14px;line-height:21px;color:#56565f">${note.replace(addressPlaceholder, addressMarkup)}</p>
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
};

/**
 * The built-in template of a mail; `placeholder` stands for the link or code, which works for `lifetime`, and is null for a
 * mail without either.
 */
export const mailTemplate = (
  kind: keyof LanguageTemplates,
  { frame, wordsFor }: MailLanguage,
  brand: MailBrand | undefined,
  lifetime: MailTemplate['lifetime'],
  placeholder: string | null = defaultPlaceholder,
): MailTemplate => {
  const wordsAbout = (name: string | undefined) =>
    wordsFor(name ?? null, lifetime === null ? null : lifetimePlaceholder)[kind];
  const words = wordsAbout(brand?.name);
  const shown = words.hasAction === false ? null : placeholder;
  const markup = brand && { ...brand, name: asHtml(brand.name) };
  return {
    subject: words.subject,
    text: textBody(words, shown),
    html: htmlBody(wordsAbout(markup?.name), frame, shown, markup),
    placeholder: placeholder ?? defaultPlaceholder,
    lifetime,
  };
};
