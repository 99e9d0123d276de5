import type * as t from 'io-ts';
import { block, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { flag } from '../../adapters/kit/option-codecs.ts';
import { below, problemAt } from './validation.ts';

/** The block `privacy`: what the service keeps to itself. */
export const privacyBlock = block({
  hideUnknownUsers: withDefault(
    flag,
    false,
    'Whether an unknown address is answered as a wrong password is, and an unknown one in a link as a wrong token.',
  ),
  hidePasswords: withDefault(flag, false, 'Whether responses leave out the stored form of the password.'),
});

export type Privacy = Values<typeof privacyBlock.options>;

export const decodePrivacy = (given: unknown, context: t.Context): t.Validation<Privacy> =>
  privacyBlock.validate(given ?? {}, context);

/** Where no password is asked for, there is no wrong one that an unknown user could pass for. */
export const revealed = (privacy: Privacy, headerCheck: boolean): t.Errors =>
  privacy.hideUnknownUsers && !headerCheck
    ? [
        problemAt(
          below([], 'privacy', 'hideUnknownUsers'),
          'needs the password header, and passwordHash.headerCheck is false; write true there, or false here',
        ),
      ]
    : [];
