import { checkedPassword } from '../../../../../adapters/http/api/accounts/password-header.ts';
import { userBodies } from '../../../../../adapters/http/api/accounts/user-bodies.ts';
import { userResponses } from '../../../../../adapters/http/api/accounts/user-schema.ts';
import { english } from '../../../../../adapters/http/pages/english-pages.ts';
import type { JsonObject } from '../../../../../adapters/kit/exact-json.ts';
import { userJson } from '../../../../../adapters/kit/user-json/user-writer.ts';

/** The options of the routes of a service without optional features. */
export const routeOptions = {
  caller: { supplied: checkedPassword },
  mailLanguages: {},
  editLanguages: {},
  trimBody: (body: JsonObject) => body,
  writeUser: userJson,
  bodies: userBodies(null, false, false),
  describeUser: userResponses(new Set(), false),
  publicUrl: null,
  successPage: null,
  pageLanguage: () => english,
  confirmPage: null,
} as const;
