import { parseArgs } from 'node:util';

const parsed = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      output: { type: 'string' },
      resume: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      'from-line': { type: 'string' },
      'hash-passwords': { type: 'boolean' },
      report: { type: 'string' },
    },
  });

/** What a command line says. */
export type Arguments = ReturnType<typeof parsed>;

/** The command of options that only one has. */
const commandOf: Readonly<Record<string, string>> = {
  output: 'export',
  resume: 'export',
  'dry-run': 'import',
  'from-line': 'import',
  'hash-passwords': 'import',
  report: 'import',
};

/** The command line; text says what is wrong with it. */
export const readArguments = (): Arguments | string => {
  try {
    const read = parsed();
    const foreign = Object.keys(read.values).find(
      (name) => (commandOf[name] ?? read.positionals[0]) !== read.positionals[0],
    );
    return foreign === undefined ? read : `--${foreign} belongs to ${commandOf[foreign]}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'these arguments are not understood';
  }
};
