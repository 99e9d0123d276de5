import { stringify } from 'yaml';
import type { Schema } from '../route.ts';

/** An OpenAPI document as YAML, with every part written where it stands: many tools read no aliases. */
export const yamlOf = (document: Schema): string => stringify(document, { aliasDuplicateObjects: false });
