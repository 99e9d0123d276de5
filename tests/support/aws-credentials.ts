import { Environment } from './environment.ts';

/** Gives the clients of AWS credentials while a suite runs; moto takes any. */
export const withAwsCredentials = (): void => {
  const environment = new Environment();
  before('set credentials of AWS', () => {
    environment.set('AWS_ACCESS_KEY_ID', 'canary-key-id');
    environment.set('AWS_SECRET_ACCESS_KEY', 'canary-secret-key');
    environment.set('AWS_SESSION_TOKEN', undefined);
    environment.set('AWS_PROFILE', undefined);
  });
  after('restore credentials of AWS', () => environment.restore());
};
