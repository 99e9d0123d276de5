/**
 * Real engines for suites. A suite names the engine it needs and gets its endpoint:
 *
 *   describe('the store on MongoDB', () => {
 *     const uri = engine('mongodb');          // adds a `before` hook: waits for the engine, or skips the suite
 *     before(() => open(uri()));              // the endpoint is known in hooks and tests, not while suites are read
 *     userStoreContract('mongodb', () => open(uri()));
 *   });
 *
 * `mongodb` gives a connection string, `dynamodb` and `aws` (SES and Secrets Manager) the URL of an endpoint. An engine
 * is shared by other suites, so a suite keeps to a database, table or secret names of its own.
 * A suite that breaks its engine takes one of its own instead, which it may stop, start, pause and resume:
 *
 *     const server = privateEngine('mongodb');
 *     it('…', async () => { await server().stop(); … });
 *
 * It is gone when `after` hooks of the suite run: they close their clients, and leave what is in it alone.
 *
 * Engines run in Docker, or where `MONGODB_URI`, `DYNAMODB_ENDPOINT` and `AWS_ENDPOINT_URL` say; one of a suite's own
 * always runs in Docker. Tests run in several processes, and each that needs an engine starts one for itself.
 * A suite whose engine is not to be had is skipped, and the last lines of the run say so; with REQUIRE_ENGINES=1 it
 * fails. An endpoint that was given and is dead fails the whole run before its first test (`whole-run.ts`): whoever gave
 * it wants these tests, and would take a skip for a success.
 * Containers are gone soon after the process that started them, also after a failure, Ctrl-C or a crash.
 * The clients of `dynamodb` and `aws` need credentials; any do.
 */
import { doWithout } from './absence.ts';
import { type EngineName, engines } from './engines.ts';
import { givenEndpoint } from './given-engine.ts';
import { type PrivateEngine, type PrivateSettings, startPrivately } from './private-engine.ts';
import { sharedEndpoint } from './shared-engine.ts';
import { explanation } from './skipped-suites.ts';

export type { EngineName } from './engines.ts';
export type { PrivateEngine, PrivateSettings } from './private-engine.ts';

/** How long an engine may take to start, in milliseconds; its image may have to be fetched first. */
const patience = 300_000;

/** Asks for an engine in a `describe`; the function gives its endpoint in hooks that follow and in tests. */
export const engine = (name: EngineName): (() => string) => {
  let endpoint: string | undefined;
  before(`wait for ${name}`, async function () {
    this.timeout(patience);
    endpoint = await givenEndpoint(engines[name]);
    try {
      endpoint ??= await sharedEndpoint(engines[name]);
    } catch (error) {
      doWithout(this, explanation(engines[name], 'shared', error));
    }
  });
  return () => {
    if (endpoint === undefined) throw new Error(`the endpoint of ${name} is known in hooks and tests only`);
    return endpoint;
  };
};

/** Asks for a container of an engine that no other suite uses, in Docker only; it is removed after the suite. */
export const privateEngine = (name: EngineName, settings: PrivateSettings = {}): (() => PrivateEngine) => {
  let started: PrivateEngine | undefined;
  before(`start a ${name} of its own`, async function () {
    this.timeout(patience);
    try {
      started = await startPrivately(name, settings);
    } catch (error) {
      doWithout(this, explanation(engines[name], 'private', error));
    }
  });
  after(`remove the ${name} of its own`, async function () {
    this.timeout(patience);
    await started?.remove();
  });
  return () => {
    if (started === undefined) throw new Error(`the private ${name} is there in hooks and tests only`);
    return started;
  };
};
