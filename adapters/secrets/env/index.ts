import { Fault } from '../../../application/fault.ts';
import { Secrets } from '../../../application/ports/secrets.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block } from '../../kit/option-block.ts';

/** Reads secrets from the environment of the process. A variable that is set to nothing is an empty secret. */
class EnvironmentSecrets extends Secrets {
  async get(name: string): Promise<string> {
    // An own property: the environment inherits names such as `constructor`.
    const value = Object.hasOwn(process.env, name) ? process.env[name] : undefined;
    if (value === undefined) throw new Fault('secret_unknown', `the environment variable ${name} is not set`);
    return value;
  }

  async check(): Promise<string> {
    return 'secrets come from environment variables';
  }

  async close(): Promise<void> {}
}

export const env = defineAdapter({
  type: 'env',
  configuration: block({}),
  open: async () => new EnvironmentSecrets(),
});
