import type * as t from 'io-ts';
import { webAddress } from '../../adapters/kit/addresses.ts';
import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { anyText, flag, text } from '../../adapters/kit/option-codecs.ts';
import { EmailAddress } from '../../domain/email-address.ts';
import { version } from '../version.ts';

/** The block `openApi` (specification, section 1). */
export const openApiBlock = block({
  enabled: withDefault(
    flag,
    true,
    'Whether the service describes itself at /openapi.json, /openapi.yaml and /swagger.',
  ),
  title: withDefault(text, 'Latchkey API', 'The title of the documentation page.'),
  version: withDefault(text, version, 'The version that the description states; that of the service by default.'),
  description: withDefault(
    anyText,
    'A fully customizable user management REST API',
    'What the description says about the service.',
  ),
  contact: optional(text, 'The name of the person to contact.'),
  contactEmail: optional(EmailAddress, 'The email address of the person to contact.'),
  license: withDefault(text, 'MIT', 'The name of the license.'),
  licenseUrl: withDefault(webAddress, 'https://spdx.org/licenses/MIT.html', 'Where the license can be read.'),
});

export type OpenApi = Values<typeof openApiBlock.options>;

export const decodeOpenApi = (given: unknown, context: t.Context): t.Validation<OpenApi> =>
  openApiBlock.validate(given ?? {}, context);
