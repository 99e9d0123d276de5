import type { Observer } from '../../adapters/http/server/pipeline.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ApiAdditions, Feature, FeatureContext, MailOption } from './feature.ts';
import { namingOf } from './names-block.ts';
import { noticesMail } from './notices-block.ts';
import { recoveryMails } from './recovery-block.ts';
import { unverifiedPolicyOf } from './unverified-policy.ts';

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

/** A feature whose module is loaded where `blockOf` finds its block. `mailsOf`: the options for which it queues mails. */
const feature =
  <Block>(
    blockOf: (configuration: Configuration) => Block | null,
    load: () => Promise<FeatureModule<Block>>,
    mailsOf: (block: Block) => readonly MailOption[] = () => [],
  ) =>
  (configuration: Configuration): readonly ConfiguredFeature[] => {
    const block = blockOf(configuration);
    if (block === null) return [];
    return [{ open: async (context) => (await load()).open(block, context), mails: mailsOf(block) }];
  };

/** The features that mail something, which is queued. */
const mailing = [
  feature(
    ({ recovery }) => recovery,
    () => import('./recovery-feature.ts'),
    recoveryMails,
  ),
  feature(
    ({ invitations }) => invitations,
    () => import('./invitations-feature.ts'),
    () => [{ path: 'invitations', remedy: 'leave the block out' }],
  ),
  feature(
    ({ verification }) => (verification.confirmChange ? verification : null),
    () => import('./address-moves-feature.ts'),
    () => [{ path: 'email.confirmChange', remedy: 'confirmChange: false' }],
  ),
  feature(
    ({ notices }) => (notices.length > 0 ? notices : null),
    () => import('./notices-feature.ts'),
    () => [noticesMail],
  ),
];

/** The options for which mails are queued; none if each is sent while the caller waits. */
const mailOptionsOf = (configuration: Configuration): readonly MailOption[] => [
  ...(configuration.verification.queue ? [{ path: 'email.queue', remedy: 'queue: false' }] : []),
  ...mailing.flatMap((configured) => configured(configuration)).flatMap(({ mails }) => mails),
];

/** Whether mails are queued. */
export const queuesMails = (configuration: Configuration): boolean => mailOptionsOf(configuration).length > 0;

/** One line per feature. Their routes stand in the document in this order. */
const features = [
  feature(
    ({ audit }) => audit,
    () => import('./audit-feature.ts'),
  ),
  feature(namingOf, () => import('./names-feature.ts')),
  feature(
    ({ server }) => (server.origins.length === 0 ? null : server.origins),
    async () => {
      const { corsFor } = await import('../../adapters/http/api/cors.ts');
      return { open: async (origins) => ({ middleware: corsFor(origins) }) };
    },
  ),
  feature(
    ({ email }) => email,
    () => import('./languages-feature.ts'),
  ),
  feature(
    ({ email }) => email?.codes ?? null,
    () => import('./verification-codes-feature.ts'),
  ),
  feature(
    ({ throttle }) => throttle,
    () => import('./throttle-feature.ts'),
  ),
  feature(
    ({ signUp }) => signUp,
    () => import('./sign-up-feature.ts'),
  ),
  feature(
    ({ passwordRules }) => passwordRules,
    () => import('./password-rules-feature.ts'),
  ),
  feature(
    ({ passwordHash }) => (passwordHash.rehash || passwordHash.cache !== null ? passwordHash : null),
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
  feature(
    (configuration) => mailOptionsOf(configuration)[0] ?? null,
    () => import('./mail-queue-feature.ts'),
  ),
  feature(unverifiedPolicyOf, () => import('./unverified-users-feature.ts')),
  feature(
    ({ admin }) => (admin.keys.length === 0 ? null : admin),
    () => import('./administration-feature.ts'),
  ),
  ...mailing,
];

/** Opens the features that are configured. If one cannot be opened, closes the others and rejects. */
export const openFeatures = async (context: FeatureContext): Promise<readonly Feature[]> => {
  const configured = features.flatMap((one) => one(context.configuration));
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
