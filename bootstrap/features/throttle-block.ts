import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { duration, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { optionalBlock } from '../configuration/section.ts';

const maxFailures = 1_000_000;

/** The default of clientFailures, as a multiple of failures. */
const clientFailuresFactor = 10;

/** Headers that have another meaning for the service or for HTTP. */
const reservedHeaders = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'password',
  'transfer-encoding',
]);

/** The name of a header (RFC 9110, section 5.1) without another meaning here. */
export const headerName = refine(
  text,
  (name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && !reservedHeaders.has(name.toLowerCase()),
  'expected the name of a header without another meaning, such as X-Client-Address',
);

/** The block `throttle`. */
const throttleBlock = block(
  {
    failures: withDefault(wholeNumber(1, maxFailures), 10, 'The wrong passwords that block a user.'),
    window: withDefault(duration, '15m', 'How long wrong passwords count, from the first one.'),
    block: withDefault(duration, '15m', 'How long no password is checked then.'),
    clientFailures: optional(
      wholeNumber(0, maxFailures),
      'The wrong passwords, for any users, that block an address; 10 times failures by default. 0 does not count addresses.',
    ),
    clientHeader: optional(
      headerName,
      'The header with the address of the person; by default the address of the connection counts.',
    ),
  },
  ({ clientFailures, clientHeader }) =>
    clientFailures === 0 && clientHeader !== null
      ? [{ path: 'clientHeader', message: 'has no effect with clientFailures: 0; remove one of them' }]
      : [],
);

const throttleOf = ({
  failures,
  clientFailures,
  window,
  block,
  clientHeader,
}: Values<typeof throttleBlock.options>) => ({
  limits: {
    failures,
    clientFailures: clientFailures ?? failures * clientFailuresFactor,
    windowMs: window,
    blockMs: block,
  },
  clientHeader,
});

/** The decoded block; without `clientHeader`, the address of the connection counts. */
export type Throttle = ReturnType<typeof throttleOf>;

export const throttleSection = optionalBlock(throttleBlock, 'The limits on wrong passwords.', throttleOf);
