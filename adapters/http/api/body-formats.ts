import { left, right } from 'fp-ts/lib/Either.js';
import { bodyReader } from '../server/body-reader.ts';
import { jsonBody } from './request-body.ts';
import type { BodyFormat } from './route-types.ts';

const patchTypes = ['application/merge-patch+json', 'application/json'];
const patchInUtf8 = /^application\/(?:merge-patch\+)?json *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;

/** Accept-Patch (RFC 5789, section 3.1). */
export const acceptPatch: Readonly<Record<string, string>> = { 'Accept-Patch': patchTypes.join(', ') };

/** A merge patch (RFC 7396, section 4), also as plain JSON. */
export const patchBody: BodyFormat = {
  ...jsonBody,
  mediaTypes: patchTypes,
  accepts: (type) => patchInUtf8.test(type),
  refusalHeaders: acceptPatch,
};

const formInUtf8 = /^application\/x-www-form-urlencoded *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;

/**
 * The text of each field, or the list of its texts where a field is repeated: decoders expect text, and so refuse a list
 * (OWASP WSTG, HTTP Parameter Pollution).
 */
const fieldsOf = (form: URLSearchParams): Readonly<Record<string, unknown>> => {
  const fields = new Map<string, string | string[]>();
  for (const [name, text] of form) {
    const former = fields.get(name);
    if (typeof former === 'object') former.push(text);
    else fields.set(name, former === undefined ? text : [former, text]);
  }
  return Object.fromEntries(fields);
};

/** More than any form of the service has. */
const maxFields = 16;

/**
 * The fields of an HTML form of at most `maxBytes`, as an object. Browsers do not compress forms, and a form is often
 * sent without credentials, so that its limits are narrow.
 */
export const formBody = (maxBytes: number): BodyFormat => ({
  mediaTypes: ['application/x-www-form-urlencoded'],
  accepts: (type) => formInUtf8.test(type),
  readBytes: bodyReader({ maxBytes, allowsCompression: false }),
  parse: (text) => {
    // Before they are decoded, which takes long for a MiB of empty fields.
    if (text.split('&', maxFields + 1).length > maxFields) return left(`must have at most ${maxFields} fields`);
    return right({ values: fieldsOf(new URLSearchParams(text)), members: [] });
  },
});
