import type { Observer } from '../../adapters/http/server/pipeline.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ApiAdditions, Feature, FeatureContext, MailOption } from './feature.ts';
import { namingOf } from './names-block.ts';
import { recoveryMails } from './recovery-block.ts';
import { unverifiedPolicyOf } from './users-block.ts';

/** The module of a feature: opens it with its block. Rejects with a ConfigurationError if the block cannot work. */
interface FeatureModule<Block> {
  open(block: Block, context: FeatureContext): Promise<Feature>;
}

/** A feature that the configuration has. */
interface ConfiguredFeature {
  open(context: FeatureContext): Promise<Feature>;
  /** The options for which it queues mails. */
  readonly mails: readonly MailOption[];
}

/** A feature in a configuration; none where it is not configured. */
export type OptionalFeature = (configuration: Configuration) => readonly ConfiguredFeature[];

/** A feature whose module is loaded where `blockOf` finds its block. `mailsOf`: the options for which it queues mails. */
export const feature =
  <Block>(
    blockOf: (configuration: Configuration) => Block | undefined,
    load: () => Promise<FeatureModule<Block>>,
    mailsOf: (block: Block) => readonly MailOption[] = () => [],
  ): OptionalFeature =>
  (configuration) => {
    const block = blockOf(configuration);
    if (block === undefined) return [];
    return [{ open: async (context) => (await load()).open(block, context), mails: mailsOf(block) }];
  };

// Commands open these, too.
export const names = feature(namingOf, () => import('./names-feature.ts'));
export const languages = feature(
  ({ email }) => email,
  () => import('./languages-feature.ts'),
);
export const verificationCodes = feature(
  ({ email }) => email?.codes,
  () => import('./verification-codes-feature.ts'),
);
export const throttle = feature(
  ({ throttle }) => throttle,
  () => import('./throttle-feature.ts'),
);
export const passwordRules = feature(
  ({ passwordRules }) => passwordRules,
  () => import('./password-rules-feature.ts'),
);
export const recovery = feature(
  ({ recovery }) => recovery,
  () => import('./recovery-feature.ts'),
  recoveryMails,
);

/** The features that mail something, which is queued. */
const mailing = [
  recovery,
  feature(
    ({ invitations }) => invitations,
    () => import('./invitations-feature.ts'),
    () => [{ path: 'invitations', remedy: 'leave the block out' }],
  ),
  feature(
    ({ verification }) => (verification.confirmChange ? verification : undefined),
    () => import('./address-moves-feature.ts'),
    () => [{ path: 'email.confirmChange', remedy: 'confirmChange: false' }],
  ),
  feature(
    ({ notices }) => (notices.length > 0 ? notices : undefined),
    () => import('./notices-feature.ts'),
    () => [{ path: 'notices', remedy: 'notices: []' }],
  ),
];

/** The options for which mails are queued; none if each is sent while the caller waits. */
const mailOptionsOf = (configuration: Configuration): readonly MailOption[] => [
  ...(configuration.verification.queue ? [{ path: 'email.queue', remedy: 'queue: false' }] : []),
  ...mailing.flatMap((configured) => configured(configuration)).flatMap(({ mails }) => mails),
];

export const mailQueue = feature(
  (configuration) => mailOptionsOf(configuration)[0],
  () => import('./mail-queue-feature.ts'),
);

/** Whether mails are queued. */
export const queuesMails = (configuration: Configuration): boolean => mailOptionsOf(configuration).length > 0;

/** One line per feature. Their routes stand in the document in this order. */
const features = [
  feature(
    ({ audit }) => audit,
    () => import('./audit-feature.ts'),
  ),
  names,
  feature(
    ({ server }) => (server.origins.length === 0 ? undefined : server.origins),
    async () => {
      const { corsFor } = await import('../../adapters/http/api/cors.ts');
      return { open: async (origins) => ({ middleware: corsFor(origins) }) };
    },
  ),
  languages,
  verificationCodes,
  throttle,
  feature(
    ({ signUp }) => signUp,
    () => import('./sign-up-feature.ts'),
  ),
  passwordRules,
  feature(
    ({ passwordHash }) => (passwordHash.rehash || passwordHash.cache !== null ? passwordHash : undefined),
    () => import('./password-checks-feature.ts'),
  ),
  feature(
    ({ activity }) => activity,
    () => import('./activity-feature.ts'),
  ),
  feature(
    ({ events }) => events,
    () => import('./webhooks-feature.ts'),
  ),
  mailQueue,
  feature(unverifiedPolicyOf, () => import('./unverified-users-feature.ts')),
  feature(
    ({ admin }) => (admin.keys.length === 0 ? undefined : admin),
    () => import('./administration-feature.ts'),
  ),
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
