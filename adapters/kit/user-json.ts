import { asProperties, type CustomProperties, noProperties } from '../../domain/custom-properties.ts';
import type { JsonObject } from './exact-json.ts';

/** The members of a user that are not custom properties (specification, section 2). */
export const fixedFields: ReadonlySet<string> = new Set(['email', 'password', 'creationTime', 'lastUpdateTime']);

/** The custom properties of a user's JSON, exactly as they were written but for insignificant white space. */
export const customPropertiesIn = ({ members }: JsonObject): CustomProperties => {
  let custom = '';
  for (const { name, quotedName, text } of members) {
    if (!fixedFields.has(name)) custom += `${custom === '' ? '' : ','}${quotedName}:${text}`;
  }
  return custom === '' ? noProperties : asProperties(`{${custom}}`);
};
