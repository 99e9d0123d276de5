import type * as t from 'io-ts';
import { displayNameOf } from '../../adapters/kit/address-codecs.ts';
import { optional } from '../../adapters/kit/option-block.ts';
import { refine, text } from '../../adapters/kit/option-codecs.ts';
import { type Image, imageFile } from './files.ts';
import { below, problemAt } from './option-errors.ts';

const maxNameLength = 100;

const productName = refine(
  text,
  (name) => name.trim() !== '' && name.length <= maxNameLength && !/\p{Cc}/u.test(name),
  `expected a name of at most ${maxNameLength} characters without line breaks`,
);

/** Whether people can open an address in a browser; it may have a query and a fragment. */
const isPage = (value: string): boolean => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
};

/** The URL of a page for people. */
export const webPage = refine(text, isPage, 'expected an http or https URL without user and password');

/** The options of the block `email` about the product that the users have their accounts at. */
export const productOptions = {
  productName: optional(
    productName,
    'The name of the product in mails and pages; by default the display name of the sender.',
  ),
  productUrl: optional(webPage, 'The page of the product, to which `/` and the last page of a link lead.'),
  logo: optional(imageFile, 'An image of at most 64 KiB that mails and pages show instead of the name.'),
};

/** What mails and pages show of the product. */
export interface ProductBlock {
  /** Null if it has no name. */
  readonly product: string | null;
  /** Null if pages do not lead to it. */
  readonly productUrl: string | null;
  readonly logo: Image | null;
}

/** The name of the product; without one the display name of the sender. */
export const nameOf = (productName: string | null, fromAddress: unknown): string | null =>
  productName ?? (text.is(fromAddress) ? displayNameOf(fromAddress) : null);

/** The error of a logo that has no alternative text. */
export const namelessLogo = ({ logo, product }: ProductBlock, context: t.Context): t.Errors =>
  logo !== null && product === null
    ? [problemAt(below(context, 'logo'), 'needs productName, which programs show that do not load images')]
    : [];
