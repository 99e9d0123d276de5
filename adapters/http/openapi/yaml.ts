import { setImmediate } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Schema } from '../api/route-description.ts';

// Many tools read no aliases.
const options = { aliasDuplicateObjects: false };

const isMapping = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n');

/** Writes a mapping, and the mappings in it down to a depth, entry by entry. */
const written = async (mapping: Schema, depth: number): Promise<string> => {
  let text = '';
  for (const [key, value] of Object.entries(mapping)) {
    if (depth > 0 && isMapping(value)) {
      text += `${stringify(key).trimEnd()}:\n${indented(await written(value, depth - 1))}`;
    } else if (value !== undefined) {
      await setImmediate();
      text += stringify({ [key]: value }, options);
    }
  }
  return text;
};

/**
 * An OpenAPI document as YAML. It is written operation by operation, and other requests are served in between: all of it
 * at once would keep them waiting for a tenth of a second.
 */
export const yamlOf = (document: Schema): Promise<string> => written(document, 2);
