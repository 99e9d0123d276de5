import type { Problem } from '../../adapters/kit/option-block.ts';

const lineOf = ({ path, message }: Problem): string => (path === '' ? `  ${message}` : `  ${path}: ${message}`);

/**
 * A configuration that can't be used. Its message is a head line that names the file, then a line for each problem: with
 * paths and advice, and never a value.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    readonly file: string,
    readonly problems: readonly Problem[],
  ) {
    const head = `${file} can't be used: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}`;
    super([head, ...problems.map(lineOf)].join('\n'));
  }
}
