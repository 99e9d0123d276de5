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

/** Provides AWS credentials to a suite; moto and DynamoDB Local accept any. */
export const withAwsCredentials = (): void => {
  const environment = new Environment();
  before('set AWS credentials', () => {
    environment.set('AWS_ACCESS_KEY_ID', 'test-key-id');
    environment.set('AWS_SECRET_ACCESS_KEY', 'test-secret-key');
    environment.set('AWS_SESSION_TOKEN', undefined);
    environment.set('AWS_PROFILE', undefined);
  });
  after('restore AWS credentials', () => environment.restore());
};
