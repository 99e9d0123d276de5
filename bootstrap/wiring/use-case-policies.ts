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

/** What a configuration decides for the use cases. */
export const policiesOf = (configuration: Configuration): Policies => {
  const { email, operationTimeout, passwordHash, privacy, properties, verificationOnUpdate } = configuration;
  return {
    passwords: { ...passwordHash, hideUnknownUsers: privacy.hideUnknownUsers },
    timeoutMs: operationTimeout,
    limits: userLimits(properties),
    verificationOnUpdate,
    links: {
      whenUnknown: privacy.hideUnknownUsers ? 'token_mismatch' : 'user_not_found',
      tokenLifetimeMs: email?.tokenLifetime ?? null,
    },
    resendIntervalMs: email?.resendInterval ?? null,
    mail: mailTemplate(configuration),
  };
};
