import { block, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { duration } from '../../adapters/kit/option-codecs.ts';
import { optionalBlock } from '../configuration/section.ts';

const options = {
  lifetime: withDefault(duration, '168h', 'How long the link of an invitation works.'),
  resendInterval: withDefault(duration, '60s', 'The minimum time between two invitations of a user.'),
};

type Written = Values<typeof options>;

const invitationsBlock = block(options, ({ lifetime, resendInterval }: Written) =>
  resendInterval > lifetime
    ? [{ path: 'resendInterval', message: 'is longer than lifetime: a link would expire before the next one' }]
    : [],
);

const invitationsOf = ({ lifetime, resendInterval }: Written) => ({
  lifetimeMs: lifetime,
  resendIntervalMs: resendInterval,
});

/** The decoded block. */
export type InvitationsBlock = ReturnType<typeof invitationsOf>;

type OtherBlocks = {
  readonly email?: object;
  readonly admin: { readonly createUsers: boolean };
  readonly server: { readonly publicUrl: unknown };
  readonly passwordHash: { readonly serverSideHash: boolean };
};

/** What other blocks make impossible. */
const impossibleInvitations = (
  _: InvitationsBlock,
  { email, admin, server, passwordHash }: OtherBlocks,
): readonly Problem[] =>
  [
    !admin.createUsers && 'needs admin.createUsers: true',
    email === undefined && 'needs a mailer; configure the block email',
    server.publicUrl === null && 'needs server.publicUrl, with which the link starts',
    !passwordHash.serverSideHash && 'needs passwordHash.serverSideHash: true for the page of its link',
  ].flatMap((message) => (message ? [{ path: '', message }] : []));

export const invitationsSection = optionalBlock(
  invitationsBlock,
  'How administrators invite users by mail; not without it.',
  invitationsOf,
  impossibleInvitations,
);
