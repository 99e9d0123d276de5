import { type AnyOption, isMapping } from '../../adapters/kit/option-block.ts';
import { ignoredConnectorKeys, ignoredKeys } from '../../bootstrap/configuration/dropwizard.ts';
import { type DocumentedBlock, documentedBlocks } from './blocks.ts';
import type { Regions } from './markdown.ts';
import { code, table } from './markdown.ts';

/** Types as the documentation shows them, by the names of codecs. */
const typeNames: Readonly<Record<string, string>> = {
  'text (in quotes if it looks like a number)': 'text',
  EmailAddress: 'an email address',
  'a block of options': 'a block',
  'a list of: a block of options': 'a list of blocks',
  unknown: 'a block',
};

const typeOf = ({ codec: { name } }: AnyOption): string =>
  typeNames[name] ?? name.replace(/text \(in quotes.*?\)/, 'text');

const defaultOf = (path: string, { fallback }: AnyOption): string => {
  if (fallback === undefined) return '**required**';
  if (path === 'openApi.version') return 'the version of Latchkey';
  if (path === 'events.webhooks[].types') return 'all of them';
  const { value, written = value } = fallback;
  if (value === null) return '';
  if (Array.isArray(value) && value.length === 0) return 'none';
  return isMapping(value) ? 'see below' : code(String(written));
};

const rowsOf = ({ path, options }: DocumentedBlock): readonly (readonly string[])[] =>
  Object.entries(options).map(([key, option]) => {
    const full = path === '' ? key : `${path}.${key}`;
    return [code(full), typeOf(option), defaultOf(full, option), option.meaning];
  });

const tableOf = (block: DocumentedBlock): string => table(['Option', 'Type', 'Default', 'Meaning'], rowsOf(block));

const codeList = (keys: readonly string[]): string => keys.map(code).join(', ');

const keysWithoutEffect = (): string =>
  [
    ...Object.entries(ignoredKeys).map(
      ([block, keys]) => `- ${block === '' ? 'the file' : code(block)}: ${codeList(keys)}`,
    ),
    `- a connector: ${codeList(ignoredConnectorKeys)}`,
  ].join('\n');

/** The regions of docs/configuration.md: a table for each block of options, and the keys that have no effect. */
export const configurationRegions = async (): Promise<Regions> =>
  new Map([
    ...(await documentedBlocks()).map((block) => [block.name, tableOf(block)] as const),
    ['keys without effect', keysWithoutEffect()],
  ]);
