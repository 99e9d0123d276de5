import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { OpenAdapter } from '../../adapters/kit/definition.ts';
import {
  block,
  isMapping,
  member,
  optional,
  type Problem,
  type Values,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import { choice, flag, longDuration, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { lifetimePlaceholder } from '../../application/outgoing/mail-templates.ts';
import type { Mailer } from '../../application/ports/mailer.ts';
import type { PropertyRules } from '../../domain/user-limits.ts';
import { mailers } from '../registry.ts';
import { chosen, decodeNamedAdapter, moduleType } from './adapter-block.ts';
import { type CodeKeys, codeOptions, codeProblems, defaultAttempts, maxAttempts } from './code-options.ts';
import { isPropertyForbidden, type Languages, languageOptions, languagesOf } from './languages-block.ts';
import { differentPages, type MessageOptions, messageBlock, messageOf, twoMessages } from './message-block.ts';
import { below, pick, problemAt, validate, withErrors } from './option-errors.ts';
import { namelessLogo, nameOf, type ProductBlock, productOptions } from './product-options.ts';
import { placed } from './rotation.ts';

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

/** The codes of verification mails. */
export interface CodeBlock {
  readonly keys: CodeKeys;
  /** How many wrong codes for an address are accepted within the lifetime. */
  readonly attempts: number;
  readonly lifetimeMs: number;
}

/** How mails are sent. */
export interface EmailBlock extends ProductBlock {
  readonly type: string;
  readonly message: MessageOptions;
  readonly languages: Languages;
  /** Whether the link opens a page with a button that verifies. */
  readonly confirmPage: boolean;
  /** Null: mails contain links. */
  readonly codes: CodeBlock | null;
  readonly open: OpenAdapter<Mailer>;
}

type EmailValues = Values<typeof emailBlock.options>;
type UseCaseValues = Pick<
  EmailValues,
  'verificationOnUpdate' | 'queue' | 'confirmChange' | 'tokenLifetime' | 'resendInterval'
>;

/** The options of the block for the use cases, effective also when its type is none. */
export interface VerificationBlock extends Omit<UseCaseValues, 'tokenLifetime' | 'resendInterval'> {
  /** Null: unlimited. */
  readonly tokenLifetimeMs: number | null;
  /** Null: no minimum interval. */
  readonly resendIntervalMs: number | null;
}

/** The decoded block; `email` is null when the type is none. */
export interface EmailOptions {
  readonly email: EmailBlock | null;
  readonly verification: VerificationBlock;
}

const verificationOf = (values: UseCaseValues): VerificationBlock => ({
  verificationOnUpdate: values.verificationOnUpdate,
  queue: values.queue,
  confirmChange: values.confirmChange,
  tokenLifetimeMs: values.tokenLifetime,
  resendIntervalMs: values.resendInterval,
});

/** Null for links. The block has refused codes without a key or a lifetime. */
const codesOf = ({ codeKey, attempts, tokenLifetime }: EmailValues): CodeBlock | null => {
  const [first, ...others] = placed(codeKey ?? [], 'email.codeKey');
  if (first === undefined || tokenLifetime === null) return null;
  return { keys: [first, ...others], attempts: attempts ?? defaultAttempts, lifetimeMs: tokenLifetime };
};

const effectiveWithoutMail = ['type', 'verificationOnUpdate'];

type OtherBlocks = {
  readonly server: { readonly publicUrl: string | null };
  readonly properties: PropertyRules | null;
};

/** The errors of options for mails that are never sent. */
const needingMail = (given: unknown, context: t.Context): t.Errors =>
  (['queue', 'confirmChange'] as const)
    .filter((name) => chosen(emailBlock.options[name], member(given, name)))
    .map((name) => problemAt(below(context, name), 'needs a type of email other than none'));

/** What other blocks make impossible or unsafe. */
export const impossibleEmail = (
  { email, verification }: EmailOptions,
  { server, properties }: OtherBlocks,
): readonly Problem[] =>
  [
    {
      applies: email !== null && isPropertyForbidden(email.languages, properties),
      path: 'localeProperty',
      message: 'is not in properties.allowed, so that no user has it',
    },
    {
      // No request may choose where the links of a new address lead.
      applies: verification.confirmChange && server.publicUrl === null,
      path: 'confirmChange',
      message: 'needs server.publicUrl, with which the links start',
    },
  ].filter(({ applies }) => applies);

/** The error of verification mails that say how long a link works which works for ever. */
const endlessLifetime = (
  { message, languages }: Pick<EmailBlock, 'message' | 'languages'>,
  { tokenLifetimeMs }: VerificationBlock,
  context: t.Context,
): t.Errors => {
  if (tokenLifetimeMs !== null) return [];
  const others = Object.values(languages.messages.verification);
  const bodies = [
    message.text,
    message.html,
    ...others.flatMap((text) => [text.bodyTextFilePath, text.bodyHtmlFilePath]),
  ];
  return bodies.some((body) => body?.includes(lifetimePlaceholder))
    ? [problemAt(below(context, 'tokenLifetime'), `is absent, but a verification mail contains ${lifetimePlaceholder}`)]
    : [];
};

/** The keys of the block that have no effect because its type is none. */
export const ignoredEmailKeys = (given: unknown): readonly string[] =>
  isMapping(given) && chosen(emailBlock.options.type, member(given, 'type')) === 'none'
    ? Object.keys(given).filter((key) => !effectiveWithoutMail.includes(key))
    : [];

export const decodeEmail = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<EmailOptions>> => {
  const type = chosen(emailBlock.options.type, member(given, 'type'));
  if (type === 'none') {
    const values = validate(emailBlock, pick(given ?? {}, effectiveWithoutMail), context);
    const options = map((given: EmailValues): EmailOptions => ({ email: null, verification: verificationOf(given) }));
    return withErrors(options(values), needingMail(given, context));
  }
  const sources = { port: 'Mailer', registry: mailers, folders } as const;
  const values = await decodeNamedAdapter(emailBlock, type, sources, given, context);
  const errors = differentPages(given, context);
  if (isLeft(values)) return withErrors(values, errors);
  const { type: name, messageOptions, productName, productUrl, logo, confirmPage, open, ...options } = values.right;
  const message = messageOf(messageOptions, given);
  const languages = languagesOf(options);
  const product = nameOf(productName, member(given, 'fromAddress'));
  const email = {
    type: name,
    message,
    languages,
    product,
    productUrl,
    logo,
    confirmPage,
    codes: codesOf(values.right),
    open,
  };
  const verification = verificationOf(options);
  return withErrors(right({ email, verification }), [
    ...errors,
    ...namelessLogo(email, context),
    ...endlessLifetime(email, verification, context),
    ...twoMessages(message, languages, context),
  ]);
};
