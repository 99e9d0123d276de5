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
      production: { type: 'boolean' },
      database: { type: 'string' },
      mailer: { type: 'string' },
    },
  });

/** What a command line says. */
export type Arguments = ReturnType<typeof parsed>;

/** The commands of options that not all have. */
const commandsOf: Readonly<Record<string, readonly string[]>> = {
  output: ['export', 'init'],
  resume: ['export'],
  'dry-run': ['import'],
  'from-line': ['import'],
  'hash-passwords': ['import'],
  report: ['import'],
  production: ['init'],
  database: ['init'],
  mailer: ['init'],
};

/** The command line; text says what is wrong with it. */
export const readArguments = (): Arguments | string => {
  try {
    const read = parsed();
    const [command = ''] = read.positionals;
    const foreign = Object.keys(read.values).find((name) => commandsOf[name]?.includes(command) === false);
    return foreign === undefined ? read : `--${foreign} belongs to ${commandsOf[foreign]?.join(' and ')}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'these arguments are not understood';
  }
};
