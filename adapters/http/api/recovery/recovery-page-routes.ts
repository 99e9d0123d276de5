import { bimap, type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CommandBus, QueryBus } from '../../../../application/bus.ts';
import type { VersionedUser } from '../../../../domain/entity-tag.ts';
import type { Failure, FieldError } from '../../../../domain/failure.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { fieldErrors, isText, memberCodec } from '../../../kit/user-json/user-codecs.ts';
import { type PasswordForm, type PasswordPageKind, passwordPage } from '../../pages/form-pages.ts';
import { linkPage, pageReply } from '../../pages/link-pages.ts';
import { type PageLanguage, passwordRefusal, type RecoveryTexts, type StatedRule } from '../../pages/page-texts.ts';
import { publicPaths } from '../../paths.ts';
import type { Reply } from '../../server/response.ts';
import {
  failurePages,
  htmlPage,
  inLanguage,
  languageOfPages,
  lastPageRoute,
  type PageLanguageChoice,
  toPage,
} from '../page-routes.ts';
import { token } from '../parameters.ts';
import { formBody } from '../request-body.ts';
import { defineRoute, defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { BodyDecoder, Route } from '../route-types.ts';
import type { UserKeys, WrittenKey } from '../user-key.ts';
import { recoveryRefusals, recoveryTag } from './recovery-routes.ts';

interface RecoveryPageOptions extends Pick<RouteOptions, 'keys'> {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  readonly pageLanguage: PageLanguageChoice;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: string;
  /** The rules of new passwords; empty without any. */
  readonly passwordRules: readonly StatedRule[];
}

interface SentForm {
  readonly user: WrittenKey;
  readonly token: string;
  readonly password: string;
}

const field = memberCodec(isText, 'must be given once');
const sentForm = t.type({ token: field, password: field });

const decodeForm = (keys: UserKeys, { values }: JsonObject): Either<readonly FieldError[], SentForm> => {
  const user = keys.decodeForm(values);
  if (isLeft(user)) return user;
  return bimap(fieldErrors, (others: t.TypeOf<typeof sentForm>) => ({ ...others, user: user.right }))(
    sentForm.decode(values),
  );
};

const passwordBody = (keys: UserKeys): BodyDecoder<SentForm> => ({
  // Enough for the longest address and token, and for a password of 1 KiB whose every byte is percent-encoded.
  format: formBody(8 * 1024),
  decode: (body) => decodeForm(keys, body),
});

/** What is wrong with a password that the user can correct: the page asks again. Undefined for any other failure. */
const correctionOf = ({ code, errors }: Failure, texts: RecoveryTexts): readonly string[] | undefined => {
  switch (code) {
    case 'weak_password':
      return passwordRefusal(texts, errors ?? [], texts.weak);
    case 'unsuitable_password':
      // Without errors the algorithm cannot hash it: bcrypt has a maximum length.
      return passwordRefusal(texts, errors ?? [{ rule: 'tooManyBytes' }], texts.unsuitable);
    case 'password_change_required':
      return passwordRefusal(texts, [{ rule: 'unchanged' }], texts.unsuitable);
    default:
      return undefined;
  }
};

/** The form again, with what is wrong with the password. It keeps the token, and never the password. */
const askAgain = (form: PasswordForm, language: PageLanguage, kind: PasswordPageKind): Reply => ({
  ...pageReply(passwordPage(form, language, kind)),
  status: 400,
});

/** What differs between the pages of recoveries and invitations. */
const kinds = {
  recovery: {
    check: 'CheckRecovery',
    confirm: 'ConfirmRecovery',
    show: { operation: 'showRecovery', summary: 'The page for a new password' },
    send: { operation: 'sendRecovery' },
    last: {
      operation: 'showRecovered',
      summary: 'The page after a recovery',
      description: 'The page that says that the password was changed.',
    },
    mail: 'a recovery mail',
  },
  invitation: {
    check: 'CheckInvitation',
    confirm: 'ConfirmInvitation',
    show: { operation: 'showInvitation', summary: 'The page for a first password' },
    send: { operation: 'sendInvitation' },
    last: {
      operation: 'showInvited',
      summary: 'The page after an invitation',
      description: 'The page that says that the account is ready.',
    },
    mail: 'an invitation',
  },
} as const;

/** The page of the service on which a person who followed the link of a recovery mail chooses a new password. */
export const recoveryPageRoutes = (
  { keys, commands, queries, pageLanguage, publicUrl, passwordRules: rules }: RecoveryPageOptions,
  kind: PasswordPageKind,
): readonly Route[] => {
  const { check, confirm, show, send, last, mail } = kinds[kind];
  const path = publicPaths[kind];
  const common = { requires: 'nothing', refusalPage: failurePages(kind, pageLanguage) } as const;
  const language = languageOfPages(pageLanguage);
  return [
    defineRoute({
      ...common,
      ...show,
      method: 'get',
      path,
      tag: recoveryTag,
      description: `The page that the link of ${mail} opens. It changes nothing, and says if the link no longer works. Errors are HTML pages.`,
      parameters: { user: keys.written, token: { ...token, description: 'The token of the link.' }, language },
      responses: { 200: htmlPage },
      refusals: ['token_mismatch', 'token_expired'],
      handle: ({ user: { key }, token }) => queries.dispatch({ type: check, key, token }),
      // Relative, so that it works under every host name and behind a proxy that adds a path.
      present: (_, { user, token, language }) =>
        pageReply(
          passwordPage({ user, token, action: inLanguage(`${kind}/password`, language), rules }, language, kind),
        ),
    }),
    defineRouteWithBody({
      ...common,
      ...send,
      method: 'post',
      path: `${path}/password`,
      document: null,
      parameters: { language },
      body: passwordBody(keys),
      refusals: recoveryRefusals,
      handle: async ({ language }, sent, startedMs) => {
        const texts = language.texts[kind];
        const again = (errors: readonly string[]): Either<never, Reply | VersionedUser> => {
          const action = inLanguage('password', language);
          return right(askAgain({ user: sent.user, token: sent.token, action, rules, errors }, language, kind));
        };
        if (sent.password === '') return again(passwordRefusal(texts, [{ rule: 'empty' }], texts.unsuitable));
        const { user, token, password } = sent;
        const command = { type: confirm, key: user.key, token, password } as const;
        const outcome = await commands.dispatch(command, startedMs);
        if (!isLeft(outcome)) return outcome;
        const correction = correctionOf(outcome.left, texts);
        return correction === undefined ? left(outcome.left) : again(correction);
      },
      present: (done, { language }) => ('user' in done ? toPage(publicUrl, `${path}/success`, language) : done),
    }),
    lastPageRoute({
      ...last,
      path: `${path}/success`,
      tag: recoveryTag,
      pageLanguage,
      pageIn: (language) => linkPage('done', language.texts[kind].done, language),
    }),
  ];
};
