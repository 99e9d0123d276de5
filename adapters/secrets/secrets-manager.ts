import { setTimeout as sleep } from 'node:timers/promises';
import {
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  InvalidRequestException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { Fault } from '../../application/fault.ts';
import { Secrets } from '../../application/ports/secrets.ts';
import { type AwsEndpoint, clientOptions, endpointOptions, withAbortTimeout } from '../aws/aws-client.ts';
import { awsErrorReason, isConnectionError } from '../aws/errors.ts';
import { checkTimeoutMs, defineAdapter } from '../kit/definition.ts';
import { block, withDefault } from '../kit/option-block.ts';
import { quantity, wholeNumber } from '../kit/option-codecs.ts';

interface SecretsManagerOptions extends AwsEndpoint {
  readonly retryDelaySeconds: number;
  /** How often a lookup is retried after a connection error; other errors are not retried (docs/configuration.md, `secrets`). */
  readonly maxRetries: number;
}

const getAction = { service: 'Secrets Manager', action: 'secretsmanager:GetSecretValue' };
// Longer than the timeouts of a request, because the lookup of credentials takes time too.
const attemptTimeoutMs = 5000;
const nonexistentName = 'latchkey-health-check';
const oneDaySeconds = 86_400;

/** Reads secrets from AWS Secrets Manager: text, or bytes that are UTF-8. */
class SecretsManager extends Secrets {
  private readonly client: SecretsManagerClient;
  private readonly description: string;

  constructor(private readonly options: SecretsManagerOptions) {
    super();
    this.client = new SecretsManagerClient(clientOptions(options));
    this.description = `Secrets Manager at ${options.endpoint} in ${options.region}`;
  }

  /** `name` is a name or an ARN. A secret that is marked for deletion or is not text counts as unknown. */
  async get(name: string): Promise<string> {
    try {
      return this.textOf(name, await this.getWithRetries(name));
    } catch (error) {
      throw error instanceof Fault ? error : this.toFault(name, error);
    }
  }

  /**
   * Reads the given secret, because the credentials may permit no other. Without a name it requests a secret that does not
   * exist.
   */
  async check(name?: string): Promise<string> {
    try {
      await this.request(name ?? nonexistentName, checkTimeoutMs);
    } catch (error) {
      if (name !== undefined) throw this.toFault(name, error);
      const isAvailable = error instanceof ResourceNotFoundException || error instanceof InvalidRequestException;
      if (!isAvailable) {
        const message = `${this.description}: ${awsErrorReason(error, getAction)}`;
        throw new Fault('secrets_unavailable', message, { cause: error });
      }
    }
    return `secrets come from ${this.description}`;
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  private async getWithRetries(name: string): Promise<GetSecretValueCommandOutput> {
    const { maxRetries, retryDelaySeconds } = this.options;
    for (let retries = 0; ; retries++) {
      try {
        return await this.request(name, attemptTimeoutMs);
      } catch (error) {
        if (retries >= maxRetries || !isConnectionError(error)) throw error;
      }
      await sleep(retryDelaySeconds * 1000);
    }
  }

  private request(name: string, timeoutMs: number): Promise<GetSecretValueCommandOutput> {
    return withAbortTimeout(timeoutMs, (abortSignal) =>
      this.client.send(new GetSecretValueCommand({ SecretId: name }), { abortSignal }),
    );
  }

  private textOf(name: string, { SecretString, SecretBinary }: GetSecretValueCommandOutput): string {
    if (SecretString !== undefined) return SecretString;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(SecretBinary ?? new Uint8Array());
    } catch {
      throw new Fault(
        'secret_unknown',
        `the secret ${name} is not text: its bytes in ${this.description} are not UTF-8`,
      );
    }
  }

  private toFault(name: string, cause: unknown): Fault {
    if (cause instanceof ResourceNotFoundException) {
      return new Fault('secret_unknown', `the secret ${name} does not exist in ${this.description}`, { cause });
    }
    if (cause instanceof InvalidRequestException) {
      return new Fault('secret_unknown', `the secret ${name} is marked for deletion in ${this.description}`, { cause });
    }
    const message = `the secret ${name}: ${this.description}: ${awsErrorReason(cause, getAction)}`;
    return new Fault('secrets_unavailable', message, { cause });
  }
}

export const secretsManager = defineAdapter({
  type: 'secretsmanager',
  configuration: block({
    ...endpointOptions('the secrets service'),
    retryDelaySeconds: withDefault(quantity(0, oneDaySeconds), 1, 'The time between retries, in seconds.'),
    maxRetries: withDefault(wholeNumber(0, 1_000_000), 0, 'Retries of a lookup after a connection error.'),
  }),
  open: async (options): Promise<Secrets> => new SecretsManager(options),
});
