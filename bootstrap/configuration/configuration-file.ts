import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chain, type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import {
  type Document,
  type ErrorCode,
  isCollection,
  isScalar,
  LineCounter,
  parseDocument,
  Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import type { Problem } from '../../adapters/kit/option-block.ts';
import { readSmallFile } from '../../adapters/kit/small-file.ts';
import type { Log } from '../../application/ports/log.ts';
import { packageFolder } from '../installed-package.ts';
import { maxConfigurationBytes, utf8 } from './files.ts';
import { ConfigurationError, decodeConfiguration, type ReadConfiguration } from './index.ts';

/** The configuration file of a command. */
export interface ChosenFile {
  readonly path: string;
  readonly warnings: readonly string[];
}

const local = 'config/local.yaml';

/** The configuration for development in the package; undefined where an installation leaves it out. */
const packagedFile = (): string | undefined => {
  const path = fileURLToPath(new URL(local, packageFolder));
  return existsSync(path) ? path : undefined;
};

/**
 * Chooses the configuration file: the one on the command line, or LATCHKEY_CONFIG, or config/local.yaml in the working
 * directory, or the one for development in the package.
 */
export const chosenFile = (named?: string): ChosenFile => {
  const path = named ?? (process.env.LATCHKEY_CONFIG || local);
  const fallback = path === local && named === undefined && !existsSync(local) ? packagedFile() : undefined;
  if (fallback === undefined) return { path, warnings: [] };
  const warning = `no configuration is named, and ${local} does not exist: using the configuration for development, ${fallback}, with its data in ./data; copy it, adapt it, and name the copy`;
  return { path: fallback, warnings: [warning] };
};

/** Messages for syntax errors. Those of the parser quote the file, which may hold secrets. */
const advice: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias must not have an anchor or a tag',
  BAD_ALIAS: 'this alias has no anchor above it; put text that starts with * in quotes',
  BAD_COLLECTION_TYPE: 'the tag does not fit this value',
  BAD_DIRECTIVE: 'unknown directive; put text that starts with % in quotes',
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation does not match the lines above',
  BAD_PROP_ORDER: 'write anchors and tags before their value',
  BAD_SCALAR_START: 'put text that starts with this character in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a second colon in one line, or more indentation in the next line; put text with a colon and a space in quotes',
  BLOCK_IN_FLOW: 'indented blocks and lists with dashes are not allowed inside { } or [ ]',
  DUPLICATE_KEY: 'this key occurs twice in its block; keep one',
  IMPOSSIBLE: 'invalid YAML',
  KEY_OVER_1024_CHARS: 'a key is at most 1024 characters long',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing',
  MULTILINE_IMPLICIT_KEY: 'write a key and its colon on one line',
  MULTIPLE_ANCHORS: 'a value has at most one anchor',
  MULTIPLE_DOCS: 'the file holds more than one document; remove everything from this ---',
  MULTIPLE_TAGS: 'a value has at most one tag',
  NON_STRING_KEY: 'keys must be text; put this one in quotes',
  RESOURCE_EXHAUSTION: 'the values are nested too deeply',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'unknown tag, or a value that does not match it; put text that starts with ! in quotes',
  UNEXPECTED_TOKEN: 'unexpected text; inside { } and [ ] put placeholders in quotes: "${NAME}"',
};

/** What is wrong, and where. The parser may have noticed it only at a later position. */
interface Mistake {
  readonly position: number;
  readonly noticed: number;
  readonly message: string;
}

const mistakeAt = (position: number, code: ErrorCode): Mistake => ({
  position,
  noticed: position,
  message: advice[code],
});

const quoted: ReadonlySet<unknown> = new Set([Scalar.QUOTE_DOUBLE, Scalar.QUOTE_SINGLE]);

/** The innermost quote or bracket without its end: the parser notices it where the text after it ends. */
const unclosed = (document: Document.Parsed, content: string, { code, pos }: YAMLError): Mistake | undefined => {
  let innermost: Mistake | undefined;
  visit(document, {
    Node: (_key, node) => {
      const [start, end] = node.range ?? [0, 0];
      if (end !== pos[0]) return;
      if (isCollection(node) && node.flow && code === 'BAD_INDENT')
        innermost = {
          position: start,
          noticed: end,
          message: 'this { or [ has no matching end; indent the lines inside it',
        };
      if (isScalar(node) && quoted.has(node.type) && content[end - 1] !== content[start])
        innermost = { position: start, noticed: end, message: 'the quote that starts here has no end' };
    },
  });
  return innermost;
};

const aliasErrors = (document: Document.Parsed): readonly Mistake[] => {
  const found: Mistake[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      const position = alias.range?.[0] ?? 0;
      const source = alias.resolve(document);
      if (source === undefined) found.push(mistakeAt(position, 'BAD_ALIAS'));
      else if (position < (source.range?.[1] ?? 0))
        found.push({ position, noticed: position, message: 'this alias is inside of what it repeats' });
    },
  });
  return found;
};

/** How many errors of the parser are explained, because each takes a walk through the document. */
const maxErrors = 50;

const parse = (content: string): Either<readonly Problem[], unknown> => {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const errors = [...document.errors, ...document.warnings]
    .slice(0, maxErrors)
    .map((error) => unclosed(document, content, error) ?? mistakeAt(error.pos[0], error.code));
  const problems = [...errors, ...aliasErrors(document)]
    .sort((one, other) => one.noticed - other.noticed)
    .map(({ position, message }) => ({ path: `line ${lines.linePos(position).line}`, message }))
    // One mistake can cause several errors on its line; the first one is the useful one.
    .filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index);
  if (problems.length > 0) return left(problems);
  try {
    const value: unknown = document.toJS();
    return right(value);
  } catch {
    // The parser refuses aliases that expand to a huge document.
    return left([{ path: '', message: 'too many aliases; repeat the values instead' }]);
  }
};

/** Reads the values of a YAML file. Left: why it can't be read, or its syntax errors by line, without its content. */
const readYaml = (file: string): Either<readonly Problem[], unknown> => {
  const content = chain(utf8)(readSmallFile(file, maxConfigurationBytes, true));
  return isLeft(content) ? left([{ path: '', message: content.left }]) : parse(content.right);
};

/** Reads and decodes a YAML file. Throws as `decodeConfiguration` does, with syntax errors as problems. */
export const readConfiguration = async (file: string, log: Log): Promise<ReadConfiguration> => {
  const parsed = readYaml(file);
  if (isLeft(parsed)) throw new ConfigurationError(file, parsed.left);
  return decodeConfiguration(file, parsed.right, log, resolve(dirname(file)));
};
