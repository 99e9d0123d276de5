import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const position = /^(file:[^()]+\.js):(\d+):(\d+)/;

const maps = new Map<string, SourceMap | undefined>();

/** The source map of a compiled file; undefined if it has none. */
const mapOf = (file: string): SourceMap | undefined => {
  if (maps.has(file)) return maps.get(file);
  let map: SourceMap | undefined;
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    // The frames of files without a source map stay unchanged.
  }
  maps.set(file, map);
  return map;
};

const inSource = (frame: string): string => {
  const start = frame.lastIndexOf('file:///');
  const [compiled = '', url = '', line, column] = position.exec(start === -1 ? '' : frame.slice(start)) ?? [];
  if (compiled === '') return frame;
  const file = fileURLToPath(url);
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  // Of code that the bundler has added, Node.js knows no source, although the type says so.
  if (entry === undefined || !('originalSource' in entry) || entry.originalSource === undefined) return frame;
  const source = resolve(dirname(file), entry.originalSource);
  return frame.replace(compiled, () => `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`);
};

/** An error of this would take the place of the one whose trace it is. */
const inSourceIfFound = (frame: string): string => {
  try {
    return inSource(frame);
  } catch {
    return frame;
  }
};

/**
 * Makes stack traces name source files instead of compiled ones. Maps are read on demand: `node --enable-source-maps`
 * reads all of them at the start, which takes a quarter of the start-up time.
 */
export const traceToSources = (): void => {
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${inSourceIfFound(String(frame))}`)].join('\n');
};
