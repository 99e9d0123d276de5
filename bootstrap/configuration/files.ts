import { createPublicKey, KeyObject } from 'node:crypto';
import { chain, type Either, isLeft, left, right, tryCatch } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type Codec, text } from '../../adapters/kit/option-codecs.ts';
import { mebibyte, readSmallFile } from '../../adapters/kit/small-file.ts';
import { optionCodec, validate } from './option-errors.ts';

/** Decodes UTF-8 and removes a byte order mark. Left: what to do about other bytes. */
export const utf8 = (bytes: Uint8Array): Either<string, string> =>
  tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    () => 'the file is not UTF-8 text; save it as UTF-8',
  );

/** Less than of other files, because it takes longer to parse. */
export const maxConfigurationBytes = mebibyte;

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
