import type { Observer } from '../../adapters/http/server/pipeline.ts';
import type { FailureCode } from '../../domain/failure.ts';
import { queuesMails } from '../configuration/email-block.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ApiAdditions, Feature, FeatureContext } from './feature.ts';
import * as tracing from './tracing-feature.ts';

/** The module of a feature: opens it with its block. Rejects with a ConfigurationError if the block cannot work. */
interface FeatureModule<Block> {
  open(block: Block, context: FeatureContext): Promise<Feature>;
}

type OpenFeature = (context: FeatureContext) => Promise<Feature>;

/** A feature whose module is loaded where `blockOf` finds its block. */
const feature =
  <Block>(blockOf: (configuration: Configuration) => Block | null, load: () => Promise<FeatureModule<Block>>) =>
  (configuration: Configuration): readonly OpenFeature[] => {
    const block = blockOf(configuration);
    return block === null ? [] : [async (context) => (await load()).open(block, context)];
  };

/** One line per feature. Their routes stand in the document in this order. */
const features = [
  feature(
    () => (tracing.traceCollector(process.env) === undefined ? null : process.env),
    async () => tracing,
  ),
  feature(
    ({ audit }) => audit,
    () => import('./audit-feature.ts'),
  ),
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
    ({ throttle }) => throttle,
    () => import('./throttle-feature.ts'),
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
    ({ events }) => events,
    () => import('./webhooks-feature.ts'),
  ),
  feature(
    (configuration) => (queuesMails(configuration) ? configuration.verification : null),
    () => import('./mail-queue-feature.ts'),
  ),
  feature(
    ({ admin }) => (admin.keys.length === 0 ? null : admin),
    () => import('./administration-feature.ts'),
  ),
  feature(
    ({ recovery }) => recovery,
    () => import('./recovery-feature.ts'),
  ),
  feature(
    ({ verification }) => (verification.confirmChange ? verification : null),
    () => import('./address-moves-feature.ts'),
  ),
];

/** Opens the features that are configured. If one cannot be opened, closes the others and rejects. */
export const openFeatures = async (context: FeatureContext): Promise<readonly Feature[]> => {
  const opening = features.flatMap((configured) => configured(context.configuration)).map((open) => open(context));
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
  return { ...all, failures: features.flatMap(({ api }) => api?.failures ?? []) };
};

/** Whether a feature lets routes fail in this way. */
export const canFail = ({ failures = [] }: ApiAdditions, code: FailureCode): boolean => failures.includes(code);

/** Whether features have files that they open again on SIGHUP. */
export const hasReloadedFiles = ({ passwordRules, audit }: Configuration): boolean =>
  passwordRules?.blocklist != null || audit?.to === 'file';

/** What features call after each request. */
export const observersOf = (features: readonly Feature[]): readonly Observer[] =>
  features.flatMap(({ observer }) => observer ?? []);
