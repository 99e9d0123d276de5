import { Fault } from '../../application/fault.ts';
import { Secrets } from '../../application/ports/secrets.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';

/** Reads secrets from environment variables. An empty variable is an empty secret. */
class EnvironmentSecrets extends Secrets {
  async get(name: string): Promise<string> {
    // `process.env` inherits properties such as `constructor`.
    const value = Object.hasOwn(process.env, name) ? process.env[name] : undefined;
    if (value === undefined) throw new Fault('secret_unknown', `the environment variable ${name} is not set`);
    return value;
  }

  async check(): Promise<string> {
    return 'secrets come from environment variables';
  }

  async close(): Promise<void> {}
}

export const environmentSecrets = defineAdapter({
  type: 'env',
  configuration: block({}),
  open: async () => new EnvironmentSecrets(),
});
