import type * as t from 'io-ts';
import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { anyText, type Codec, flag, text, webAddress } from '../../adapters/kit/option-codecs.ts';
import { EmailAddress } from '../../domain/email-address.ts';
import { version } from '../installed-package.ts';

const contactEmail: Codec<EmailAddress, string> = EmailAddress;

/** The block `openApi` (specification, section 1). */
export const openApiBlock = block({
  enabled: withDefault(
    flag,
    true,
    'Whether the service publishes its OpenAPI document at /openapi.json, /openapi.yaml and /swagger, and that of the administration at /admin/openapi.json of the admin port.',
  ),
  title: withDefault(text, 'Latchkey API', 'The title of the document.'),
  version: withDefault(text, version, 'The version in the document; that of Latchkey by default.'),
  description: withDefault(
    anyText,
    'A fully customizable user management REST API',
    'The description of the service in the document.',
  ),
  contact: optional(text, 'The name of the contact person.'),
  contactEmail: optional(contactEmail, 'The email address of the contact person.'),
  license: withDefault(text, 'MIT', 'The name of the license.'),
  licenseUrl: withDefault(webAddress, 'https://spdx.org/licenses/MIT.html', 'The URL of the license.'),
});

export type OpenApi = Values<typeof openApiBlock.options>;

export const decodeOpenApi = (given: unknown, context: t.Context): t.Validation<OpenApi> =>
  openApiBlock.validate(given ?? {}, context);
