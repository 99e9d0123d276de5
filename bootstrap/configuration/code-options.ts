import { optional, type Problem, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, refine, text } from '../../adapters/kit/option-codecs.ts';
import type { CodeKey } from '../../application/mailed-tokens.ts';
import { type Placed, rotatingSecret } from './rotation.ts';

const minKeyBytes = 32;

/** The options of blocks whose mails contain a link or a code. */
export const codeOptions = {
  form: withDefault(
    choice(['link', 'code'] as const),
    'link',
    'What the mail contains: a link, or a code of six digits.',
  ),
  codeKey: optional(
    refine(
      rotatingSecret(
        refine(text, (key) => Buffer.byteLength(key) >= minKeyBytes, `expected at least ${minKeyBytes} bytes`),
      ),
      ([first]) => first?.expires === null,
      'the first key must have no expires, because it makes the codes',
    ),
    `The secret key of the digests of codes, of at least ${minKeyBytes} bytes; required for form: code.`,
  ),
};

interface Written {
  readonly form: 'link' | 'code';
  readonly codeKey: unknown;
}

/** The problem of a key without codes, or of codes without a key. */
export const codeProblems = ({ form, codeKey }: Written): readonly Problem[] => [
  ...(form === 'code' && codeKey === null
    ? [{ path: 'codeKey', message: `is required with form: code; to make one: openssl rand -base64 ${minKeyBytes}` }]
    : []),
  ...(form === 'link' && codeKey !== null ? [{ path: 'codeKey', message: 'has no effect with form: link' }] : []),
];

/** How many wrong codes for an address are accepted within their lifetime, unless the block says otherwise. */
export const defaultAttempts = 5;
export const maxAttempts = 1_000;

/** The keys of codes; the first one makes them. */
export type CodeKeys = readonly [Placed<CodeKey>, ...Placed<CodeKey>[]];
