import type { Route } from '../api/route-types.ts';

/** A GET route without authentication that no OpenAPI document describes. It can refuse like an unknown path. */
export const undocumentedRoute = (path: string, run: Route['run']): Route => ({
  method: 'get',
  path,
  operation: path,
  requires: 'nothing',
  parameters: [],
  body: undefined,
  document: null,
  refusals: [],
  run,
});
