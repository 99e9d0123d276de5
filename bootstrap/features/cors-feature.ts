import { corsFor } from '../../adapters/http/server/cors.ts';
import type { Feature } from './feature.ts';

/** `server.origins`: browsers may call the service from other origins. */
export const open = async (origins: readonly string[]): Promise<Feature> => ({ middleware: corsFor(origins) });
