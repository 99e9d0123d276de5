import type { CustomProperties } from '../../../../domain/user.ts';
import { JsonReader, type JsonValue } from '../../../kit/json-reader.ts';
import { asProperties } from '../../../kit/user-json/user-writer.ts';

/** Applies a patch to a value (RFC 7396, section 2). Returns the same object if nothing changes. */
const merge = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (patch.members === undefined) return target?.text === patch.text ? target : patch;
  const members = new Map(target?.members);
  let isChanged = target?.members === undefined;
  for (const [name, { quotedName, value }] of patch.members) {
    const current = members.get(name);
    if (value.text === 'null') {
      isChanged = members.delete(name) || isChanged;
    } else {
      const next = merge(current?.value, value);
      isChanged ||= next !== current?.value;
      members.set(name, { quotedName: current?.quotedName ?? quotedName, value: next });
    }
  }
  if (target !== undefined && !isChanged) return target;
  const texts = [...members.values()].map(({ quotedName, value }) => `${quotedName}:${value.text}`);
  return { text: `{${texts.join(',')}}`, members };
};

/**
 * Applies a JSON merge patch to custom properties. Members that the patch does not name keep their text and their place;
 * new members follow in the order of the patch.
 */
export const mergePatch = (properties: CustomProperties, patch: CustomProperties): CustomProperties =>
  asProperties(merge(new JsonReader(properties).read(), new JsonReader(patch).read()).text);
