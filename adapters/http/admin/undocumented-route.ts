import type { Route } from '../api/route-types.ts';

/** A route that everybody may GET, and no OpenAPI document describes. Its refusals may also be those of unknown paths. */
export const undocumentedRoute = (path: string, run: Route['run']): Route => ({
  method: 'get',
  path,
  operation: path,
  authenticated: false,
  parameters: [],
  body: undefined,
  document: null,
  refusals: [],
  run,
});
