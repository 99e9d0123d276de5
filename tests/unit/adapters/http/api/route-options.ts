import { password } from '../../../../../adapters/http/api/accounts/password-header.ts';
import { userBodies } from '../../../../../adapters/http/api/accounts/user-bodies.ts';
import { userResponses } from '../../../../../adapters/http/api/accounts/user-schema.ts';
import { ruledOut } from '../../../../../adapters/http/api/route-options.ts';
import { english } from '../../../../../adapters/http/pages/english-pages.ts';
import type { JsonObject } from '../../../../../adapters/kit/exact-json.ts';
import { userJson } from '../../../../../adapters/kit/user-json.ts';

/** The options of the routes of a service without optional features. */
export const routeOptions = {
  caller: { supplied: password },
  wrongPassword: ['user_disabled', 'password_change_required', 'wrong_password'],
  invalidUser: ['unsuitable_address', 'unsuitable_password', 'user_too_large'],
  checksHeader: true,
  hashesPasswords: true,
  mailLanguages: {},
  editLanguages: {},
  editTooSoon: ruledOut,
  weakPassword: ruledOut,
  unknownUser: ['user_not_found'],
  trimBody: (body: JsonObject) => body,
  writeUser: userJson,
  bodies: userBodies(null, false, false),
  describeUser: userResponses(new Set(), false),
  publicUrl: null,
  successPage: null,
  pageLanguage: () => english,
  wrongToken: ['token_mismatch'],
  sendsMail: true,
  tooSoon: ruledOut,
  confirmPage: null,
} as const;
