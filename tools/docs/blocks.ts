import type { Options } from '../../adapters/kit/option-block.ts';
import { moduleBlock } from '../../bootstrap/configuration/adapter-block.ts';
import { adminKeyBlock, adminSecretBlock } from '../../bootstrap/configuration/admin-block.ts';
import { basicBlock, oauthBlock } from '../../bootstrap/configuration/auth-block.ts';
import { sections } from '../../bootstrap/configuration/configuration.ts';
import { connectorBlock } from '../../bootstrap/configuration/dropwizard.ts';
import { messageBlock } from '../../bootstrap/configuration/email-options.ts';
import { clientSecretBlock, keyBlock } from '../../bootstrap/configuration/key-block.ts';
import { tlsBlock } from '../../bootstrap/configuration/listener-options.ts';
import { cacheBlock, ceilingBlock } from '../../bootstrap/configuration/password-hash-block.ts';
import { allowedBlock, keyPropertiesBlock, timeoutBlock } from '../../bootstrap/configuration/plain-blocks.ts';
import { secretsBlock } from '../../bootstrap/configuration/secrets-block.ts';
import { corsBlock } from '../../bootstrap/configuration/server-block.ts';
import { webhookBlock, webhookSecretBlock } from '../../bootstrap/features/events-block.ts';
import { messagesBlock, messageTextBlock } from '../../bootstrap/features/languages-block.ts';
import { noticesOption } from '../../bootstrap/features/notices-block.ts';
import {
  formTextBlock,
  linkPagesBlock,
  pagesBlock,
  passwordTextsBlock,
  refusedBlock,
  rulesBlock,
} from '../../bootstrap/features/pages-block.ts';
import { quietBlock } from '../../bootstrap/features/sign-up-block.ts';
import { hashes, mailers, type Registry, secrets, stores, verifiers } from '../../bootstrap/registry.ts';

/** Options that are documented together. */
export interface DocumentedBlock {
  /** The name of the region with their table. */
  readonly name: string;
  /** Their path in the file; empty for the top level. */
  readonly path: string;
  readonly options: Options;
}

const documented = (name: string, path: string, { options }: { readonly options: Options }): DocumentedBlock => ({
  name,
  path,
  options,
});

const serviceBlocks: readonly DocumentedBlock[] = [
  documented('the file', '', sections),
  ...Object.entries(sections.options).flatMap(([name, section]) =>
    'options' in section && section.options !== undefined ? [{ name, path: name, options: section.options }] : [],
  ),
  documented('server.tls', 'server.tls', tlsBlock),
  documented('server.adminTls', 'server.adminTls', tlsBlock),
  documented('server.cors', 'server.cors', corsBlock),
  documented('connectors', 'server.applicationConnectors[]', connectorBlock),
  documented('email.messageOptions', 'email.messageOptions', messageBlock),
  documented('email.messages', 'email.messages', messagesBlock),
  documented('email.messages.locales', 'email.messages.<kind>.locales.<tag>', messageTextBlock),
  documented('email.pages', 'email.pages.locales.<tag>', pagesBlock),
  documented('email.pages of a link', 'email.pages.locales.<tag>.<link>', linkPagesBlock),
  documented('email.pages for a password', 'email.pages.locales.<tag>.recovery', passwordTextsBlock),
  documented('email.pages rules', 'email.pages.locales.<tag>.recovery.rules', rulesBlock),
  documented('email.pages refused', 'email.pages.locales.<tag>.recovery.refused', refusedBlock),
  documented('email.pages texts', 'email.pages.locales.<tag>.<link>.<page>', formTextBlock),
  documented('secrets', 'secrets', secretsBlock),
  documented('passwordHash.cache', 'passwordHash.cache', cacheBlock),
  documented('passwordHash.ceiling', 'passwordHash.ceiling', ceilingBlock),
  { name: 'notices', path: '', options: { notices: noticesOption } },
  documented('signUp.quiet', 'signUp.quiet', quietBlock),
  documented('properties.allowed', 'properties.allowed[]', allowedBlock),
  documented('options', 'options', timeoutBlock),
  documented('auth, basic', 'auth', basicBlock),
  documented('auth.keys', 'auth.keys[]', keyBlock),
  documented('auth.keys.secrets', 'auth.keys[].secrets[]', clientSecretBlock),
  documented('auth.keys.properties', 'auth.keys[].properties', keyPropertiesBlock),
  documented('auth, oauth', 'auth', oauthBlock),
  documented('admin.keys', 'admin.keys[]', adminKeyBlock),
  documented('admin.keys.secrets', 'admin.keys[].secrets[]', adminSecretBlock),
  documented('events.webhooks', 'events.webhooks[]', webhookBlock),
  documented('events.webhooks.secrets', 'events.webhooks[].secrets[]', webhookSecretBlock),
  documented('module', 'database', moduleBlock),
];

const adapterBlocks = async <Port>(path: string, registry: Registry<Port>): Promise<readonly DocumentedBlock[]> => {
  const blocks = await Promise.all(
    Object.entries(registry).map(async ([name, load]) => {
      const { options } = await load();
      if (options === undefined) throw new TypeError(`the options of ${path} ${name} are not a block`);
      return { name: `${path}, ${name}`, path, options };
    }),
  );
  return blocks.filter(({ options }) => Object.keys(options).length > 0);
};

/** Every block of options, including those of the adapters. */
export const documentedBlocks = async (): Promise<readonly DocumentedBlock[]> => [
  ...serviceBlocks,
  ...(await adapterBlocks('database', stores)),
  ...(await adapterBlocks('email', mailers)),
  ...(await adapterBlocks('secrets', secrets)),
  ...(await adapterBlocks('passwordHash', hashes)),
  ...(await adapterBlocks('passwordHash.accept[]', verifiers)),
];
