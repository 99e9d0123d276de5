export { port } from '../../adapters/kit/option-codecs.ts';
