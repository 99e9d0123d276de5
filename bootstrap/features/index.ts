import { corsFor } from '../../adapters/http/api/http-service.ts';
import type { Observer } from '../../adapters/http/server/pipeline.ts';
import { Activity } from '../../application/activity/activity.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';
import { open as openAdministration } from './administration-feature.ts';
import type { ApiAdditions, Feature, FeatureContext, MailOption } from './feature.ts';
import { open as openLanguages } from './languages-feature.ts';
import { open as openMailQueue } from './mail-queue-feature.ts';
import { namingOf } from './names-block.ts';
import { open as openNames } from './names-feature.ts';
import { open as openNotices } from './notices-feature.ts';
import { recoveryMails } from './recovery-block.ts';
import { open as openRecovery } from './recovery-feature.ts';
import { open as openThrottle } from './throttle-feature.ts';
import { unverifiedPolicyOf } from './users-block.ts';
import { open as openVerificationCodes } from './verification-codes-feature.ts';

/** Opens a feature with its block. Rejects with a ConfigurationError if the block cannot work. */
type OpenFeature<Block> = (block: Block, context: FeatureContext) => Promise<Feature>;

/** Loads the module of a feature that is rarely configured, or that needs packages. */
const loaded =
  <Block>(load: () => Promise<{ readonly open: OpenFeature<Block> }>): OpenFeature<Block> =>
  async (block, context) =>
    (await load()).open(block, context);

/** A feature that the configuration has. */
interface ConfiguredFeature {
  open(context: FeatureContext): Promise<Feature>;
  /** The options for which it queues mails. */
  readonly mails: readonly MailOption[];
}

/** A feature in a configuration; none where it is not configured. */
export type OptionalFeature = (configuration: Configuration) => readonly ConfiguredFeature[];

/** A feature that is opened where `blockOf` finds its block. `mailsOf`: the options for which it queues mails. */
export const feature =
  <Block>(
    blockOf: (configuration: Configuration) => Block | undefined,
    open: OpenFeature<Block>,
    mailsOf: (block: Block) => readonly MailOption[] = () => [],
  ): OptionalFeature =>
  (configuration) => {
    const block = blockOf(configuration);
    if (block === undefined) return [];
    return [{ open: (context) => open(block, context), mails: mailsOf(block) }];
  };

// Commands open these, too.
export const names = feature(namingOf, openNames);
export const languages = feature(({ email }) => email, openLanguages);
export const verificationCodes = feature(({ email }) => email?.codes, openVerificationCodes);
export const throttle = feature(({ throttle }) => throttle, openThrottle);
export const passwordRules = feature(
  ({ passwordRules }) => passwordRules,
  loaded(() => import('./password-rules-feature.ts')),
);
export const recovery = feature(({ recovery }) => recovery, openRecovery, recoveryMails);

/** The features that mail something, which is queued. */
const mailing = [
  recovery,
  feature(
    ({ invitations }) => invitations,
    loaded(() => import('./invitations-feature.ts')),
    () => [{ path: 'invitations', remedy: 'remove the block' }],
  ),
  feature(
    ({ verification }) => (verification.confirmChange ? verification : undefined),
    loaded(() => import('./address-moves-feature.ts')),
    () => [{ path: 'email.confirmChange', remedy: 'write confirmChange: false' }],
  ),
  feature(
    ({ notices }) => (notices.length > 0 ? notices : undefined),
    openNotices,
    () => [{ path: 'notices', remedy: 'write notices: []' }],
  ),
];

/** The options for which mails are queued; none if each is sent while the caller waits. */
const mailOptionsOf = (configuration: Configuration): readonly MailOption[] => [
  ...(configuration.verification.queue ? [{ path: 'email.queue', remedy: 'write queue: false' }] : []),
  ...mailing.flatMap((configured) => configured(configuration)).flatMap(({ mails }) => mails),
];

export const mailQueue = feature((configuration) => mailOptionsOf(configuration)[0], openMailQueue);

/** Whether mails are queued. */
export const queuesMails = (configuration: Configuration): boolean => mailOptionsOf(configuration).length > 0;

/** The features, those of a few lines in place. Their routes stand in the document in this order. */
const features = [
  feature(
    ({ audit }) => audit,
    loaded(() => import('./audit-feature.ts')),
  ),
  names,
  feature(
    ({ server }) => (server.origins.length === 0 ? undefined : server.origins),
    async (origins) => ({ middleware: corsFor(origins) }),
  ),
  languages,
  verificationCodes,
  throttle,
  feature(
    ({ signUp }) => signUp,
    loaded(() => import('./sign-up-feature.ts')),
  ),
  passwordRules,
  feature(
    ({ passwordHash }) => (passwordHash.rehash || passwordHash.cache !== null ? passwordHash : undefined),
    loaded(() => import('./password-checks-feature.ts')),
  ),
  // Users have the time when their password was last right.
  feature(
    ({ activity }) => activity,
    async ({ precision, since }, { adapters: { clock }, log }) => ({
      api: { activity: { recordedSince: since ?? 0 } },
      checkHelpers: ({ get }) => ({ activity: new Activity(get(OptimisticUpdate), precision, clock, log) }),
    }),
  ),
  feature(
    ({ events }) => events,
    loaded(() => import('./webhooks-feature.ts')),
  ),
  mailQueue,
  feature(
    unverifiedPolicyOf,
    loaded(() => import('./unverified-users-feature.ts')),
  ),
  feature(({ admin }) => (admin.keys.length === 0 ? undefined : admin), openAdministration),
  ...mailing,
];

/** Opens the features that are configured, or those among `some`. If one cannot be opened, closes the others and rejects. */
export const openFeatures = async (
  context: FeatureContext,
  some: readonly OptionalFeature[] = features,
): Promise<readonly Feature[]> => {
  const configured = some.flatMap((one) => one(context.configuration));
  const opening = configured.map(({ open }) => open(context));
  const settled = await Promise.allSettled(opening);
  const opened = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (opened.length === settled.length) return opened;
  for (const { close, flush } of opened) await Promise.allSettled([close?.(), flush?.(0)]);
  return Promise.all(opening);
};

/** What all features change in the routes. */
export const apiOf = (features: readonly Feature[]): ApiAdditions => {
  let all: ApiAdditions = {};
  for (const { api } of features) all = { ...all, ...api };
  return all;
};

/** What features call after each request. */
export const observersOf = (features: readonly Feature[]): readonly Observer[] =>
  features.flatMap(({ observer }) => observer ?? []);
