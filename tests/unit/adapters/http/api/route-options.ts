import { checkedPassword } from '../../../../../adapters/http/api/accounts/password-header.ts';
import { userBodies } from '../../../../../adapters/http/api/accounts/user-bodies.ts';
import { userResponses } from '../../../../../adapters/http/api/accounts/user-schema.ts';
import { userKeys } from '../../../../../adapters/http/api/user-key.ts';
import { english } from '../../../../../adapters/http/pages/english-pages.ts';
import { userJson } from '../../../../../adapters/kit/user-json/user-writer.ts';

/** The options of the routes of a service without optional features. */
export const routeOptions = {
  caller: { supplied: checkedPassword },
  mailLanguages: {},
  editLanguages: {},
  propertyLimits: {},
  keys: userKeys({}),
  decoder: <A>(decode: A) => decode,
  writeUser: userJson,
  bodies: userBodies(undefined, {}, false),
  describeUser: userResponses(new Set(), {}),
  publicUrl: null,
  successPage: null,
  pageLanguage: () => english,
  opensPage: false,
} as const;
