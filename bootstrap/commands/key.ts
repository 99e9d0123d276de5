import { hash, randomBytes } from 'node:crypto';
import { reportFailure, writeOutput } from './command-errors.ts';
import { type Command, exitStatus, UsageError } from './command-line.ts';

/** 192 bits, in 32 characters of Base64 without padding. */
const secretBytes = 24;

/** What to do with a new secret: one form of the key for each way to keep it. */
export const keyText = (application: string, secret: string): string => {
  const name = JSON.stringify(application);
  const digest = hash('sha256', secret);
  return `The secret, for the application. It is shown only here:

  ${secret}

An entry of auth.keys or admin.keys that holds only the digest of the secret:

  - application: ${name}
    secrets:
      - sha256: "${digest}"

An entry that holds the secret itself. Anyone who reads the file can use it:

  - application: ${name}
    secret: "${secret}"

For an application that has a key already: a second entry of its secrets. Give
the former one an expires, the time until which both are accepted:

      - sha256: "${digest}"
`;
};

/** Prints a new secret, and what to write into the configuration for it. */
export const key: Command = async ({ values: { application = 'my-application' }, positionals }) => {
  if (positionals.length > 0) throw new UsageError('key takes no file; --application names the application');
  if (application === '' || application.includes(':'))
    throw new UsageError('--application takes a name without a colon');
  try {
    await writeOutput(keyText(application, randomBytes(secretBytes).toString('base64')));
    return exitStatus.done;
  } catch (error) {
    return reportFailure(error);
  }
};
