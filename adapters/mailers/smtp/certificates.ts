import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as t from 'io-ts';
import { type Codec, text } from '../../kit/option-codecs.ts';

const form = 'the path of a file with certificates in PEM form';

/** The content of a file, if it starts with a certificate that can be read. */
const contentOf = (path: string): string | undefined => {
  try {
    const content = readFileSync(path, 'utf8');
    new X509Certificate(content);
    return content;
  } catch {
    return undefined;
  }
};

/** The path of a file of certificates; decodes to its text. Read once, at the start, so that waiting for it is fine. */
export const certificateFile: Codec<string> = new t.Type<string, unknown, unknown>(
  form,
  t.string.is,
  (value, context) => {
    const content = text.is(value) ? contentOf(value) : undefined;
    return content === undefined
      ? t.failure(value, context, `expected ${form}, and the file can't be read as that`)
      : t.success(content);
  },
  t.identity,
);
