// The library of the compiler, as openapi-typescript imports it: TypeScript 7 ships the compiler without one.
export { ts as default } from '@ts-morph/common';
