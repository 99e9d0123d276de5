import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { OpenAdapter } from '../../adapters/kit/definition.ts';
import { isMapping, member, type Problem, type Values } from '../../adapters/kit/option-block.ts';
import { emlFiles } from '../../adapters/mailers/eml-files/index.ts';
import { lifetimePlaceholder } from '../../application/outgoing/mail-templates.ts';
import type { Mailer } from '../../application/ports/mailer.ts';
import type { PropertyRules } from '../../domain/user-limits.ts';
import { isPropertyForbidden, type Languages, languagesOf } from '../features/languages-block.ts';
import { mailers } from '../registry.ts';
import { chosen, decodeNamedAdapter } from './adapter-block.ts';
import { type CodeKeys, defaultAttempts } from './code-options.ts';
import {
  differentPages,
  emailBlock,
  type MessageOptions,
  messageOf,
  namelessLogo,
  nameOf,
  type ProductBlock,
  twoMessages,
} from './email-options.ts';
import { below, pick, problemAt, validate, withErrors } from './option-errors.ts';
import { placed } from './rotation.ts';

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
  /** Whether mails are kept in files, which the admin port shows, instead of sent. */
  readonly keepsMails: boolean;
  readonly message: MessageOptions;
  readonly languages: Languages;
  /** Whether the link opens a page with a button that verifies. */
  readonly confirmPage: boolean;
  /** Without them mails contain links. */
  readonly codes?: CodeBlock;
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

/** The decoded block; `email` is absent when the type is none. */
export interface EmailOptions {
  readonly email?: EmailBlock;
  readonly verification: VerificationBlock;
}

const verificationOf = (values: UseCaseValues): VerificationBlock => ({
  verificationOnUpdate: values.verificationOnUpdate,
  queue: values.queue,
  confirmChange: values.confirmChange,
  tokenLifetimeMs: values.tokenLifetime,
  resendIntervalMs: values.resendInterval,
});

/** Undefined for links. The block has refused codes without a key or a lifetime. */
const codesOf = ({ codeKey, attempts, tokenLifetime }: EmailValues): CodeBlock | undefined => {
  const [first, ...others] = placed(codeKey ?? [], 'email.codeKey');
  if (first === undefined || tokenLifetime === null) return undefined;
  return { keys: [first, ...others], attempts: attempts ?? defaultAttempts, lifetimeMs: tokenLifetime };
};

const effectiveWithoutMail = ['type', 'verificationOnUpdate'];

type OtherBlocks = {
  readonly server: { readonly publicUrl: string | null };
  readonly properties?: PropertyRules;
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
      applies: email !== undefined && isPropertyForbidden(email.languages, properties),
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
    const options = map((given: EmailValues): EmailOptions => ({ verification: verificationOf(given) }));
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
  const codes = codesOf(values.right);
  const email = {
    type: name,
    keepsMails: name === emlFiles.type,
    message,
    languages,
    product,
    productUrl,
    logo,
    confirmPage,
    ...(codes && { codes }),
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
