/** Sets environment variables for tests, and restores the previous values. */
export class Environment {
  private readonly previous = new Map<string, string | undefined>();

  set(name: string, value: string | undefined): void {
    if (!this.previous.has(name)) this.previous.set(name, process.env[name]);
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }

  restore(): void {
    for (const [name, value] of this.previous) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    this.previous.clear();
  }
}

/** moto and DynamoDB Local accept any credentials, but not missing ones. */
export const awsCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** Registers hooks that set these credentials in the environment for the enclosing suite. */
export const withAwsCredentials = (): void => {
  const environment = new Environment();
  before('set AWS credentials', () => {
    environment.set('AWS_ACCESS_KEY_ID', awsCredentials.accessKeyId);
    environment.set('AWS_SECRET_ACCESS_KEY', awsCredentials.secretAccessKey);
    environment.set('AWS_SESSION_TOKEN', undefined);
    environment.set('AWS_PROFILE', undefined);
  });
  after('restore AWS credentials', () => environment.restore());
};
