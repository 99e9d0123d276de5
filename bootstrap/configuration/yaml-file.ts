import { readFile } from 'node:fs/promises';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Document, type ErrorCode, LineCounter, parseDocument, visit } from 'yaml';
import type { Problem } from '../../adapters/kit/option-block.ts';
import { reasonOf, utf8 } from './files.ts';

/** What is said about a syntax error. The parser's own texts quote the file, which may hold secrets. */
const advice: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias takes no anchor and no tag',
  BAD_ALIAS: 'the anchor of this alias is not defined above it; a text that starts with * goes in quotes',
  BAD_COLLECTION_TYPE: 'the tag does not fit this value',
  BAD_DIRECTIVE: 'unknown directive; a text that starts with % goes in quotes',
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_PROP_ORDER: 'anchors and tags stand before their value',
  BAD_SCALAR_START: 'a text that starts with this character goes in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second colon in one line; a text with a colon and a space goes in quotes',
  BLOCK_IN_FLOW: 'indented blocks and lists with dashes have no place inside { } or [ ]',
  DUPLICATE_KEY: 'this key stands twice in its block; keep one',
  IMPOSSIBLE: 'this is not YAML',
  KEY_OVER_1024_CHARS: 'a key is at most 1024 characters long',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key stands on one line, with its colon',
  MULTIPLE_ANCHORS: 'a value has at most one anchor',
  MULTIPLE_DOCS: 'the file holds more than one document; remove what follows this ---',
  MULTIPLE_TAGS: 'a value has at most one tag',
  NON_STRING_KEY: 'a key is a text; put it in quotes',
  RESOURCE_EXHAUSTION: 'the values are nested too deeply',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'unknown tag, or a value that does not fit it; a text that starts with ! goes in quotes',
  UNEXPECTED_TOKEN: 'this has no place here; inside { } and [ ] a placeholder goes in quotes: "${NAME}"',
};

const aliasErrors = (document: Document.Parsed): readonly (readonly [number, ErrorCode])[] => {
  const found: (readonly [number, ErrorCode])[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) === undefined) found.push([alias.range?.[0] ?? 0, 'BAD_ALIAS']);
    },
  });
  return found;
};

const parse = (content: string): Either<readonly Problem[], unknown> => {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const errors = [...document.errors, ...document.warnings].map(({ code, pos }) => [pos[0], code] as const);
  const problems = [...errors, ...aliasErrors(document)]
    .sort(([one], [other]) => one - other)
    .map(([position, code]) => ({ path: `line ${lines.linePos(position).line}`, message: advice[code] }))
    // One slip can be several errors on its line; the first says what to mend.
    .filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index);
  if (problems.length > 0) return left(problems);
  try {
    const value: unknown = document.toJS();
    return right(value);
  } catch {
    // The parser refuses aliases that would multiply into a huge document.
    return left([{ path: '', message: 'too many aliases; write the values out' }]);
  }
};

/** The values of a YAML file. Left: that it can't be read, or its syntax errors by line, without a word of its content. */
export const readYaml = async (file: string): Promise<Either<readonly Problem[], unknown>> => {
  try {
    const content = utf8(await readFile(file));
    return isLeft(content) ? left([{ path: '', message: content.left }]) : parse(content.right);
  } catch (error) {
    return left([{ path: '', message: reasonOf(error) }]);
  }
};
