import { setImmediate } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Schema } from '../api/route-types.ts';

// Many tools cannot read aliases.
const options = { aliasDuplicateObjects: false };

const isMapping = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n');

/** Writes a mapping entry by entry, with its nested mappings down to a depth. */
const write = async (mapping: Schema, depth: number): Promise<string> => {
  let text = '';
  for (const [key, value] of Object.entries(mapping)) {
    if (depth > 0 && isMapping(value)) {
      text += `${stringify(key).trimEnd()}:\n${indented(await write(value, depth - 1))}`;
    } else if (value !== undefined) {
      await setImmediate();
      text += stringify({ [key]: value }, options);
    }
  }
  return text;
};

/**
 * An OpenAPI document as YAML. Yields to the event loop between operations, because writing all of them at once would
 * delay other requests by 100 ms.
 */
export const yamlOf = (document: Schema): Promise<string> => write(document, 2);
