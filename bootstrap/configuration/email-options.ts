import { block, optional, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, flag, longDuration, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { mailers } from '../registry.ts';
import { moduleType } from './adapter-block.ts';
import { codeOptions, codeProblems, defaultAttempts, maxAttempts } from './code-options.ts';
import { languageOptions } from './languages-block.ts';
import { messageBlock } from './message-block.ts';
import { productOptions } from './product-options.ts';

/** The options of the block `email` that don't depend on its type. */
export const emailBlock = block(
  {
    type: withDefault(
      choice(['none', ...Object.keys(mailers), moduleType]),
      'none',
      'How mails are sent; none turns verification off.',
    ),
    ...productOptions,
    messageOptions: withDefault(messageBlock, {}, 'The verification mail, and the page after the verification.'),
    verificationOnUpdate: withDefault(
      choice(['body', 'server'] as const),
      'body',
      'Who sets the verification on an update: the body, or only the service.',
    ),
    form: codeOptions.form,
    codeKey: codeOptions.codeKey,
    attempts: optional(
      wholeNumber(1, maxAttempts),
      `The wrong codes for an address, within tokenLifetime, after which more are refused; ${defaultAttempts} by default.`,
    ),
    confirmPage: withDefault(
      flag,
      false,
      'Whether the link opens a page with a button, instead of verifying by itself.',
    ),
    queue: withDefault(
      flag,
      false,
      'Whether a mail is stored, and sent until the provider accepts it. Without it the caller waits for the provider.',
    ),
    confirmChange: withDefault(
      flag,
      false,
      'Whether a new address waits until a link that is mailed to it confirms it. Needs server.publicUrl.',
    ),
    tokenLifetime: optional(longDuration, 'How long the link in a mail works; for ever without it.'),
    resendInterval: optional(longDuration, 'The minimum time between two mails to a user.'),
    ...languageOptions,
  },
  ({ tokenLifetime, resendInterval, form, codeKey, attempts, confirmPage }) => [
    ...codeProblems({ form, codeKey }),
    ...[
      {
        applies: tokenLifetime !== null && resendInterval !== null && resendInterval > tokenLifetime,
        path: 'resendInterval',
        message: 'is longer than tokenLifetime: a link would expire before a new one can be requested',
      },
      {
        applies: form === 'code' && tokenLifetime === null,
        path: 'tokenLifetime',
        message: 'is required with form: code, because a code can be guessed; write tokenLifetime: 1h',
      },
      {
        applies: form === 'code' && confirmPage,
        path: 'confirmPage',
        message: 'has no effect with form: code, because no link opens a page',
      },
      { applies: form === 'link' && attempts !== null, path: 'attempts', message: 'has no effect with form: link' },
    ].filter(({ applies }) => applies),
  ],
);
