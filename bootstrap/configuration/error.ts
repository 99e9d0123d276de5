import type { Problem } from '../../application/options.ts';

/** A configuration that can't be used, with everything that is wrong with it. It holds paths and advice, never a value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    readonly file: string,
    readonly problems: readonly Problem[],
  ) {
    super(`${file} can't be used: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}`);
  }
}

/** What a person is shown: a head line that names the file, then a line for each problem. The exit status is 2. */
export const linesOf = ({ message, problems }: ConfigurationError): readonly string[] => [
  message,
  ...problems.map(({ path, message: advice }) => (path === '' ? `  ${advice}` : `  ${path}: ${advice}`)),
];
