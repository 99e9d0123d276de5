import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { moduleResolve } from 'import-meta-resolve';

/** The code of a Node.js error, such as ERR_MODULE_NOT_FOUND. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && /^[A-Z_]{1,60}$/.test(String(error.code))
    ? String(error.code)
    : undefined;

const notFound =
  'the package or file was not found; Latchkey searches the working directory, then the folder of the configuration file, then its own installation; the path of a file starts with ./ or /';
const notBuilt = 'the package is installed, but the file that its package.json names is missing; build the package';

const isPackage = (name: string): boolean => !/^\.{0,2}\//.test(name) && !isAbsolute(name);

const problemOf = (name: string, error: unknown): string => {
  const code = codeOf(error);
  if (code !== 'ERR_MODULE_NOT_FOUND') return `can't be found (${code ?? 'no code'})`;
  // Node.js has one code for both cases; only the message differs.
  const isInstalled = error instanceof Error && error.message.startsWith('Cannot find module');
  return isPackage(name) && isInstalled ? notBuilt : notFound;
};

/**
 * Resolves a package or a file from several folders in turn, as an import of a module in each of them would.
 * Left: what to do about a module that none of them has.
 */
export const locateModule = (name: string, folders: readonly string[]): Either<string, URL> => {
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      const specifier = isAbsolute(name) ? pathToFileURL(name).href : name;
      return right(moduleResolve(specifier, pathToFileURL(`${folder}/`)));
    } catch (error) {
      problems.push(problemOf(name, error));
    }
  }
  // A package that is incomplete in one folder says more than its absence from the others.
  return left(problems.find((problem) => problem !== notFound) ?? notFound);
};

// A stack frame outside Node.js itself, and the first line of the stack of a syntax error.
const frame = /(?:^ +at (?:async )?|\()(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():]+:\d+)/;
const head = /^(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():]+:\d+)$/;

/** The name of an error and the file and line that threw it. Its message is left out, because it may hold a value. */
export const errorSummary = (error: unknown): string => {
  if (!(error instanceof Error)) return 'it threw a value that is not an Error';
  const [first = '', ...lines] = (error.stack ?? '').split('\n');
  const frames = lines.filter((line) => /^ +at /.test(line));
  const where =
    head.exec(first)?.[1] ?? frames.map((line) => frame.exec(line)?.[1]).find((found) => found !== undefined);
  return [codeOf(error) ?? error.name, where].filter((part) => part !== undefined).join(' at ');
};

/** Why an import failed. The message of Node.js about a missing module is kept: it holds no value. */
export const importFailure = (error: unknown): string => {
  // The stack of a syntax error in an ES module names no file but the one that imports it.
  if (error instanceof SyntaxError && error.stack?.includes('compileSourceTextModule'))
    return "can't be loaded: SyntaxError; node --check with the path of the file shows where";
  const code = codeOf(error);
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  const [text] = isMissing && error instanceof Error ? error.message.split('\n') : [];
  return `can't be loaded: ${text ?? errorSummary(error)}`;
};
