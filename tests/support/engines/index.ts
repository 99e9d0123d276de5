/**
 * Real engines for suites. A suite requests an engine by name, and gets its endpoint:
 *
 *   describe('the store on MongoDB', () => {
 *     const uri = engine('mongodb');          // adds a `before` hook that waits for the engine, or skips the suite
 *     before(() => open(uri()));              // the endpoint is available in hooks and tests
 *     userStoreContract('mongodb', () => open(uri()));
 *   });
 *
 * The endpoint of `mongodb` is a connection string; of `dynamodb` and `aws` (SES and Secrets Manager) it is a URL.
 * Suites share engines, so each suite uses its own databases, tables and secret names. A suite that stops or changes
 * its engine requests one of its own:
 *
 *     const server = privateEngine('mongodb');
 *     it('…', async () => { await server().stop(); … });
 *
 * Engines run in Docker, or where `MONGODB_URI`, `DYNAMODB_ENDPOINT` and `AWS_ENDPOINT_URL` point to; private ones
 * always run in Docker. Each process of a test run starts its own. If an engine is not available, the suite is skipped
 * and the run reports it at the end; with REQUIRE_ENGINES=1 the suite fails. If a variable points to an engine that
 * does not respond, the whole run fails before its first test (global-setup.ts). The clients of `dynamodb` and `aws`
 * need credentials (`withAwsCredentials`).
 */

import { givenEndpoint } from './endpoint-variables.ts';
import { type EngineName, engines } from './engines.ts';
import { type PrivateEngine, type PrivateSettings, startPrivately } from './private-engine.ts';
import { ShardedCluster } from './sharded-cluster.ts';
import { sharedEndpoint } from './shared-engine.ts';
import { explanation, skipSuite } from './skipped-suites.ts';

export type { EngineName } from './engines.ts';
export type { PrivateEngine, PrivateSettings } from './private-engine.ts';

/** Timeout for starting an engine, which may include downloading its image. */
const startTimeoutMs = 300_000;

/** Requests a shared engine for a suite. The returned function gives the endpoint in later hooks and in tests. */
export const engine = (name: EngineName): (() => string) => {
  let endpoint: string | undefined;
  before(`wait for ${name}`, async function () {
    this.timeout(startTimeoutMs);
    endpoint = await givenEndpoint(engines[name]);
    try {
      endpoint ??= await sharedEndpoint(engines[name]);
    } catch (error) {
      skipSuite(this, explanation(engines[name], 'shared', error));
    }
  });
  return () => {
    if (endpoint === undefined) throw new Error(`the endpoint of ${name} is only available in hooks and tests`);
    return endpoint;
  };
};

/** Requests a container for this suite alone. It is removed after the suite, before its earlier `after` hooks run. */
export const privateEngine = (name: EngineName, settings: PrivateSettings = {}): (() => PrivateEngine) => {
  let started: PrivateEngine | undefined;
  before(`start a private ${name}`, async function () {
    this.timeout(startTimeoutMs);
    try {
      started = await startPrivately(name, settings);
    } catch (error) {
      skipSuite(this, explanation(engines[name], 'private', error));
    }
  });
  after(`remove the private ${name}`, async function () {
    this.timeout(startTimeoutMs);
    await started?.remove();
  });
  return () => {
    if (started === undefined) throw new Error(`the private ${name} is only available in hooks and tests`);
    return started;
  };
};

/** Requests a sharded cluster without routers for this suite alone. It is removed after the suite. */
export const shardedCluster = (): (() => ShardedCluster) => {
  let started: ShardedCluster | undefined;
  before('start a sharded cluster', async function () {
    this.timeout(startTimeoutMs);
    try {
      started = await ShardedCluster.start();
    } catch (error) {
      skipSuite(this, explanation(engines.mongodb, 'private', error));
    }
  });
  after('remove the sharded cluster', async function () {
    this.timeout(startTimeoutMs);
    await started?.remove();
  });
  return () => {
    if (started === undefined) throw new Error('the sharded cluster is only available in hooks and tests');
    return started;
  };
};
