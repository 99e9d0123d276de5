import { userLimits } from '../../adapters/kit/user-json.ts';
import { defaultHtml, defaultText } from '../../adapters/mailers/default-mail-template.ts';
import type { MailTemplate } from '../../application/users/verification-mail.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Policies } from '../container.ts';

const withoutMails: MailTemplate = { subject: '', placeholder: '-', text: '', html: '' };

const mailTemplate = ({ email }: Configuration): MailTemplate => {
  if (email === null) return withoutMails;
  const { subject, placeholder, text, html } = email.message;
  return { subject, placeholder, text: text ?? defaultText(placeholder), html: html ?? defaultHtml(placeholder) };
};

/** What a configuration decides for the use cases: the options of whole blocks, under their names. */
export const policiesOf = (configuration: Configuration): Policies => ({
  ...configuration.passwordHash,
  ...configuration.privacy,
  ...configuration.verification,
  timeoutMs: configuration.operationTimeoutMs,
  limits: userLimits(configuration.properties),
  mail: mailTemplate(configuration),
});
