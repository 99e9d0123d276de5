import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import * as t from 'io-ts';
import { type Codec, text } from './option-codecs.ts';

/** The content of a file; undefined unless it starts with a valid certificate. Synchronous, because it runs at the start. */
const readCertificates = (path: string): string | undefined => {
  try {
    // A pipe would block the process.
    if (!statSync(path).isFile()) return undefined;
    const content = readFileSync(path, 'utf8');
    new X509Certificate(content);
    return content;
  } catch {
    return undefined;
  }
};

const certificateFileName = 'the path of a file with certificates in PEM format';

/** The path of a file with certificates; decodes to the content of the file. */
export const certificateFile: Codec<string> = new t.Type<string, unknown, unknown>(
  certificateFileName,
  t.string.is,
  (value, context) => {
    const content = text.is(value) ? readCertificates(value) : undefined;
    return content === undefined
      ? t.failure(value, context, `expected ${certificateFileName}, and the file cannot be read as such`)
      : t.success(content);
  },
  t.identity,
);
