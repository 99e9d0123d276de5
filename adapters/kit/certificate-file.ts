import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { right } from 'fp-ts/lib/Either.js';
import { type Codec, refused, text } from './option-codecs.ts';

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
export const certificateFile: Codec<string> = {
  name: certificateFileName,
  is: text.is,
  decode: (value) => {
    const content = text.is(value) ? readCertificates(value) : undefined;
    return content === undefined
      ? refused(`expected ${certificateFileName}, and the file cannot be read as such`)
      : right(content);
  },
};
