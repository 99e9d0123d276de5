import { readFile, stat } from 'node:fs/promises';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { pathBelow } from '../../adapters/kit/option-block.ts';
import { maxConfigurationBytes } from './files.ts';
import { ConfigurationError } from './index.ts';

/** The line of every key and item of a file, by its path. What an alias stands for has none. */
const linesOf = (content: string): ReadonlyMap<string, number> => {
  const counter = new LineCounter();
  const lines = new Map<string, number>();
  const add = (path: string, node: unknown, value: unknown): void => {
    if (isNode(node) && node.range) lines.set(path, counter.linePos(node.range[0]).line);
    collect(value, path);
  };
  const collect = (value: unknown, path: string): void => {
    if (isMap(value))
      for (const { key, value: member } of value.items)
        if (isScalar(key)) add(pathBelow(path, String(key.value)), key, member);
    if (isSeq(value))
      for (const [index, item] of value.items.entries()) add(pathBelow(path, String(index)), item, item);
  };
  collect(parseDocument(content, { lineCounter: counter, prettyErrors: false }).contents, '');
  return lines;
};

/** The path of the block or list around a path; undefined for a block of the file. */
const outer = (path: string): string | undefined => /^(.+?)(?:\.[^.[\]]+|\[\d+\])$/.exec(path)?.[1];

/** The file as text; undefined if it cannot be read again, as a pipe, or is too large. */
const contentOf = async (file: string): Promise<string | undefined> => {
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= maxConfigurationBytes ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
};

/** Names the file of a configuration, and the line of each problem. The line of a missing option is that of its block. */
export const withLines = async (
  { problems, file: name }: ConfigurationError,
  file = name,
): Promise<ConfigurationError> => {
  const content = await contentOf(file);
  if (content === undefined) return new ConfigurationError(file, problems);
  const lines = linesOf(content);
  const lineOf = (path: string | undefined): number | undefined =>
    path === undefined ? undefined : (lines.get(path) ?? lineOf(outer(path)));
  return new ConfigurationError(file, problems, lineOf);
};
