import { type AnyOption, isMapping, type Options } from '../../adapters/kit/option-block.ts';
import { refusedBlock, rulesBlock } from '../../bootstrap/features/pages-block.ts';
import { type DocumentedBlock, documentedBlocks } from './blocks.ts';
import type { Regions } from './markdown.ts';
import { code, table } from './markdown.ts';

/** Types as the documentation shows them, by the names of codecs. */
const typeNames: Readonly<Record<string, string>> = {
  'text (in quotes if it looks like a number)': 'text',
  EmailAddress: 'email address',
  'a block of options': 'block',
  'a list of: a block of options': 'list of blocks',
  unknown: 'block',
  'true or false': 'boolean',
  'an http or https URL without user, query and fragment': 'URL',
};

/** Shorter forms of the types that a message says in words. The introduction of the page explains them. */
const shorterForms: readonly (readonly [RegExp, string])[] = [
  [/text \(in quotes.*?\)/, 'text'],
  [/^a whole number from (\d+) to (\d+)$/, '$1–$2'],
  [/^a number from/, 'number from'],
  [/^a duration such as.*/, 'duration'],
  [/^a date such as.*/, 'date'],
  [/\bone of /, ''],
  [/^a list of: /, 'list of '],
  [/^list of a language tag .*/, 'list of language tags'],
  [/^a language tag .*/, 'language tag'],
  [/^the path of an? (?:UTF-8 )?/, ''],
  [/^(?:a|the) /, ''],
  [/^false, true, a number of proxies/, 'boolean, number'],
  [/^list of salted-digest.*/, 'list of names, or of blocks with type'],
  [/^list of user\.created.*/, 'list of types'],
  [/^list of one connector.*/, 'list of one block'],
  [/^(?:pages of a link|texts of a page.*|texts about .*|block with locales)$/, 'block'],
];

const typeOf = ({ codec: { name } }: AnyOption): string =>
  typeNames[name] ?? shorterForms.reduce((shortened, [long, short]) => shortened.replace(long, short), name);

const defaultOf = (path: string, { fallback }: AnyOption): string => {
  if (fallback === undefined) return '**required**';
  if (path === 'openApi.version') return '';
  if (path === 'events.webhooks[].types') return 'all';
  const { value, written = value } = fallback;
  if (value === null || isMapping(value)) return '';
  if (Array.isArray(value) && value.length === 0) return 'none';
  return code(String(written));
};

/** The kind of a block that only one adapter has, such as sqlite, which stands before its options. */
const kindOf = ({ name, path }: DocumentedBlock): string => {
  if (name === 'module') return 'module: ';
  const [, kind] = name.split(', ');
  return kind === undefined || kind === 'basic' || path.endsWith('[]') ? '' : `${kind}: `;
};

/** Blocks of short texts, by their place: the row of the block lists them. */
const textsIn: ReadonlyMap<string, Options> = new Map([
  ['email.pages.locales.<tag>.recovery.rules', rulesBlock.options],
  ['email.pages.locales.<tag>.recovery.refused', refusedBlock.options],
]);

const listedIn = (meaning: string, texts: Options): string => {
  const listed = Object.entries(texts).map(([key, text]) => `${code(key)} (${text.meaning.replace(/\.$/, '')})`);
  return `${meaning.replace(/\.$/, '')}: ${listed.join(', ')}.`;
};

const rowsOf = (block: DocumentedBlock): readonly (readonly string[])[] =>
  Object.entries(block.options).map(([key, option]) => {
    const full = block.path === '' ? key : `${block.path}.${key}`;
    const byDefault = defaultOf(full, option);
    const type = byDefault === '' ? typeOf(option) : `${typeOf(option)}; ${byDefault}`;
    const inner = textsIn.get(full);
    return [`${kindOf(block)}${code(full)}`, type, inner ? listedIn(option.meaning, inner) : option.meaning];
  });

/** The tables that show several blocks, by their names. Each of the others has a table of its own. */
const sharedTables: readonly (readonly [first: string, ...others: readonly string[]])[] = [
  ['server', 'server.tls', 'server.cors', 'connectors'],
  ['database', 'database, sqlite', 'database, mongodb', 'database, postgresql', 'database, dynamodb', 'module'],
  ['email', 'email, smtp', 'email, ses', 'email, outbox', 'email.messageOptions'],
  ['email.messages', 'email.messages.locales'],
  ['email.pages', 'email.pages of a link', 'email.pages for a password', 'email.pages texts'],
  ['auth, basic', 'auth.keys', 'auth.keys.secrets', 'auth.keys.properties', 'auth, oauth'],
  ['admin', 'admin.keys'],
  [
    'passwordHash',
    'passwordHash, bcrypt',
    'passwordHash, argon2',
    'passwordHash.cache',
    'passwordHash.ceiling',
    'passwordHash.accept[], firebase-scrypt',
  ],
  ['signUp', 'signUp.quiet'],
  ['properties', 'properties.allowed'],
  ['secrets', 'secrets, secretsmanager'],
  ['events', 'events.webhooks'],
];

/** Blocks without a row: the sections of the page are the file, `textsIn` has texts, and the others repeat a block. */
const describedBlocks: readonly string[] = [
  'the file',
  'email.pages rules',
  'email.pages refused',
  'server.adminTls',
  'admin.keys.secrets',
  'events.webhooks.secrets',
];

/** Whether further rows have the options of a block, so that its own row would say nothing. */
const isOpened = (option: string, rows: readonly (readonly string[])[]): boolean => {
  // The pages of a link are explained together, whatever else one of the links has.
  if (option.includes('<')) return false;
  const path = option.slice(0, -1);
  return rows.some(([other = '']) => other.startsWith(`${path}.`) || other.startsWith(`${path}[].`));
};

const tables = (blocks: readonly DocumentedBlock[]): readonly (readonly [string, string])[] => {
  const known = new Map(blocks.map((block) => [block.name, block]));
  const placed = new Set([...sharedTables.flat(), ...describedBlocks]);
  const single = blocks
    .filter(({ name, options }) => !placed.has(name) && Object.keys(options).length > 0)
    .map(({ name }) => [name] as const);
  return [...sharedTables, ...single].map((names) => {
    const rows = names.flatMap((name) => rowsOf(known.get(name) ?? { name, path: '', options: {} }));
    // Both kinds of `auth` have the option `auth.type`.
    const distinct = rows.filter(([option = '']) => option !== 'oauth: `auth.type`' && !isOpened(option, rows));
    return [names[0], table(['Option', 'Type; default', 'Meaning'], distinct)];
  });
};

/** The regions of docs/configuration.md: its tables. */
export const configurationRegions = async (): Promise<Regions> => new Map(tables(await documentedBlocks()));
