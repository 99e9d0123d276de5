import type { Section } from '../bench.ts';
import { read } from './read.ts';

/** Every section, in the order in which they are run and told. */
export const sections: readonly Section[] = [read];
