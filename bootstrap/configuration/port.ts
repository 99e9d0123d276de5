import { type Codec, wholeNumber } from '../../adapters/kit/option-codecs.ts';

/** A TCP port; 0 stands for any that is free. */
export const port: Codec<number> = wholeNumber(0, 65_535);
