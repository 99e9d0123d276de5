import { setTimeout as pause } from 'node:timers/promises';
import {
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  InvalidRequestException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { Fault } from '../../../application/fault.ts';
import { Secrets } from '../../../application/ports/secrets.ts';
import { clientOptions, type Service, within } from '../../aws/aws-options.ts';
import { isConnectionError, reasonOf } from '../../aws/errors.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';

export interface SecretsManagerOptions extends Service {
  /** Between an attempt that failed and the next one. */
  readonly retryDelaySeconds: number;
  /** How often a lookup is repeated after a connection error; no other error is (specification, section 1). */
  readonly maxRetries: number;
}

const asked = { service: 'Secrets Manager', action: 'secretsmanager:GetSecretValue' };
// Longer than an attempt takes by itself: for the search for credentials.
const attemptPatience = 5000;
const probe = 'latchkey-health-check';

/** Reads secrets from AWS Secrets Manager: their text, or their bytes as UTF-8. */
export class SecretsManager extends Secrets {
  private readonly client: SecretsManagerClient;
  private readonly place: string;

  constructor(private readonly options: SecretsManagerOptions) {
    super();
    this.client = new SecretsManagerClient(clientOptions(options));
    this.place = `Secrets Manager at ${options.endpoint} in ${options.region}`;
  }

  /** `name` is a name or an ARN. A secret that is marked for deletion, or that is no text, is unknown too. */
  async get(name: string): Promise<string> {
    try {
      return this.textOf(name, await this.lookUp(name));
    } catch (error) {
      throw error instanceof Fault ? error : this.faultOf(name, error);
    }
  }

  /**
   * Reads a secret that is needed, because credentials that keep to those permit no other. Where none is, it asks for
   * one that nobody has.
   */
  async check(name?: string): Promise<string> {
    try {
      await this.ask(name ?? probe, checkTimeoutMs);
    } catch (error) {
      if (name !== undefined) throw this.faultOf(name, error);
      const answered = error instanceof ResourceNotFoundException || error instanceof InvalidRequestException;
      if (!answered) {
        throw new Fault('secrets_unavailable', `${this.place}: ${reasonOf(error, asked)}`, { cause: error });
      }
    }
    return `secrets come from ${this.place}`;
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  private async lookUp(name: string): Promise<GetSecretValueCommandOutput> {
    const { maxRetries, retryDelaySeconds } = this.options;
    for (let retries = 0; ; retries++) {
      try {
        return await this.ask(name, attemptPatience);
      } catch (error) {
        if (retries >= maxRetries || !isConnectionError(error)) throw error;
      }
      await pause(retryDelaySeconds * 1000);
    }
  }

  private ask(name: string, patience: number): Promise<GetSecretValueCommandOutput> {
    return within(patience, (abortSignal) =>
      this.client.send(new GetSecretValueCommand({ SecretId: name }), { abortSignal }),
    );
  }

  private textOf(name: string, { SecretString, SecretBinary }: GetSecretValueCommandOutput): string {
    if (SecretString !== undefined) return SecretString;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(SecretBinary ?? new Uint8Array());
    } catch {
      throw new Fault('secret_unknown', `the secret ${name} is not text: ${this.place} holds other bytes than UTF-8`);
    }
  }

  private faultOf(name: string, cause: unknown): Fault {
    if (cause instanceof ResourceNotFoundException) {
      return new Fault('secret_unknown', `the secret ${name} is not known to ${this.place}`, { cause });
    }
    if (cause instanceof InvalidRequestException) {
      return new Fault('secret_unknown', `the secret ${name} is marked for deletion in ${this.place}`, { cause });
    }
    return new Fault('secrets_unavailable', `the secret ${name}: ${this.place}: ${reasonOf(cause, asked)}`, { cause });
  }
}
