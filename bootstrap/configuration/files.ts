import { createPublicKey, KeyObject } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { chain, type Either, isLeft, left, right, tryCatch } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type Codec, text } from '../../adapters/kit/option-codecs.ts';
import { optionCodec, validate } from './option-errors.ts';

const folderReason = 'expected a file; this is a directory';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist; relative paths start in the working directory of the service',
  ENOTDIR: 'the file does not exist; relative paths start in the working directory of the service',
  EACCES: 'the user of the service has no permission to read the file',
  EPERM: 'the user of the service has no permission to read the file',
  EISDIR: folderReason,
  ELOOP: 'the symbolic links at this path lead back to themselves',
};

/** Why a file can't be read, without its path, which may come from a secret. */
export const fileErrorReason = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? `the file can't be read${code === '' ? '' : ` (${code})`}`;
};

/** Decodes UTF-8 and removes a byte order mark. Left: what to do about other bytes. */
export const utf8 = (bytes: Uint8Array): Either<string, string> =>
  tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    () => 'the file is not UTF-8 text; save it as UTF-8',
  );

const mebibyte = 1024 * 1024;

/** A larger file is another one than it should be. A running service, too, would stand still while it reads it. */
const maxFileBytes = 16 * mebibyte;

/** The same for the configuration, which takes longer to parse. */
export const maxConfigurationBytes = mebibyte;

const chunkBytes = 64 * 1024;

/** The start of a file. The size that the system reports is no limit: a pipe has none, and a file may grow meanwhile. */
const readStart = (path: string, maxBytes: number): Buffer => {
  const descriptor = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let missing = maxBytes;
    while (missing > 0) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, missing));
      const bytes = readSync(descriptor, chunk);
      if (bytes === 0) break;
      chunks.push(chunk.subarray(0, bytes));
      missing -= bytes;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * The bytes of a file. Left: why it cannot be read, without its path; it is read only if it has at most `maxBytes`. A pipe
 * would block the next reload, so that only the configuration may be one, which is not read again then. A device may have
 * no end, and reading some of them has effects.
 */
export const readSmallFile = (path: string, maxBytes = maxFileBytes, mayBePipe = false): Either<string, Buffer> => {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return left(folderReason);
    if (found.isFIFO() && !mayBePipe) return left('expected a file; this is a pipe, which cannot be read again');
    if (!found.isFile() && !found.isFIFO()) return left('expected a file; this is a device or a socket');
    const content = readStart(path, maxBytes + 1);
    return content.length > maxBytes ? left(`the file is larger than ${maxBytes / mebibyte} MiB`) : right(content);
  } catch (error) {
    return left(fileErrorReason(error));
  }
};

/** A codec of paths that decodes to the content of the file. It reads synchronously, once for each configuration. */
const file = <A>(name: string, is: (value: unknown) => value is A, read: (bytes: Buffer) => Either<string, A>) =>
  optionCodec<A>(name, is, (value, context) => {
    const path = validate(text, value, context);
    if (isLeft(path)) return t.failure(value, context, `expected ${name}`);
    const content = chain(read)(readSmallFile(path.right));
    return isLeft(content) ? t.failure(value, context, content.left) : t.success(content.right);
  });

// A reload may read a file that is just being replaced, and Node.js takes an empty certificate for none.
const textIn = (bytes: Buffer): Either<string, string> =>
  bytes.length === 0 ? left('the file is empty') : utf8(bytes);

/** The path of a UTF-8 file; decodes to its text, which is not empty. */
export const textFile: Codec<string> = file('the path of a UTF-8 file', t.string.is, textIn);

/** An image for mails and pages. */
export interface Image {
  readonly type: 'image/png' | 'image/jpeg';
  readonly content: Uint8Array;
}

const maxImageBytes = 64 * 1024;
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);

const isImage = (value: unknown): value is Image => typeof value === 'object' && value !== null && 'content' in value;

const image = (content: Buffer): Either<string, Image> => {
  if (content.length > maxImageBytes) return left(`the image is too large; expected at most ${maxImageBytes} bytes`);
  if (content.subarray(0, 4).equals(pngStart)) return right({ type: 'image/png', content });
  if (content.subarray(0, 3).equals(jpegStart)) return right({ type: 'image/jpeg', content });
  return left('the file is neither a PNG nor a JPEG image; mail programs show no others, such as SVG');
};

/** The path of a small PNG or JPEG image; decodes to its content. */
export const imageFile: Codec<Image> = file('the path of a PNG or JPEG image', isImage, image);

const minModulusBits = 2048;

const parsedKey = (der: Buffer, type: 'spki' | 'pkcs1'): Either<unknown, KeyObject> =>
  tryCatch(() => createPublicKey({ key: der, format: 'der', type }), t.identity);

const notDer =
  'the file holds no RSA public key in DER form; to convert PEM: openssl rsa -pubin -in key.pem -outform DER -out key.der';

/** Reads SubjectPublicKeyInfo or PKCS #1 in DER. Left: it is not an RSA key, or too short (NIST SP 800-131A). */
const rsaKey = (der: Buffer): Either<string, KeyObject> => {
  const info = parsedKey(der, 'spki');
  const key = isLeft(info) ? parsedKey(der, 'pkcs1') : info;
  if (isLeft(key) || key.right.asymmetricKeyType !== 'rsa') return left(notDer);
  const bits = key.right.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < minModulusBits
    ? left(`the RSA key is too short; expected at least ${minModulusBits} bits`)
    : right(key.right);
};

/** The path of an RSA public key in DER form of at least 2048 bits; decodes to the key. */
export const rsaPublicKeyFile: Codec<KeyObject> = file(
  'the path of an RSA public key in DER form',
  (value): value is KeyObject => value instanceof KeyObject,
  rsaKey,
);
