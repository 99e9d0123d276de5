import * as t from 'io-ts';
import { type Codec, text } from './option-codecs.ts';

const withoutSlashesAtEnd = (path: string): string => {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
};

const normal = (value: unknown): string | undefined => {
  if (!text.is(value) || !/^https?:\/\/[^?#]+$/i.test(value) || !URL.canParse(value)) return undefined;
  const { origin, pathname, username, password } = new URL(value);
  return username === '' && password === '' ? `${origin}${withoutSlashesAtEnd(pathname)}` : undefined;
};

/** An http or https URL without user, query and fragment; decodes to the URL without slashes at its end. */
export const webAddress: Codec<string> = new t.Type<string, unknown, unknown>(
  'an http or https URL without user, query and fragment',
  t.string.is,
  (value, context) => {
    const address = normal(value);
    return address === undefined
      ? t.failure(value, context, 'expected an http or https URL without user, query and fragment')
      : t.success(address);
  },
  t.identity,
);
