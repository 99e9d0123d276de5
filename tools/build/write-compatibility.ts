import { writeFile } from 'node:fs/promises';
import { portVersions } from '../../adapters/kit/definition.ts';
import { schemaVersion } from '../../adapters/stores/sqlite/sqlite-schema.ts';
import { currentFormat, formatWithoutNames } from '../../adapters/stores/stored-format.ts';
import { mailKinds } from '../../application/outgoing/mail-queue.ts';
import { type Compatibility, compatibilityFile } from '../../bootstrap/commands/compatibility.ts';
import { version } from '../../bootstrap/installed-package.ts';
import { stores } from '../../bootstrap/registry.ts';
import { userFields } from '../../domain/user-fields.ts';
import { documentedBlocks } from '../docs/blocks.ts';

const marked = { knows: currentFormat, writes: formatWithoutNames, writesWithNames: currentFormat, isShared: true };

/** Stores of one instance. */
const others: Compatibility['stores'] = {
  sqlite: { knows: schemaVersion, writes: schemaVersion, writesWithNames: schemaVersion, isShared: false },
  memory: { knows: 1, writes: 1, writesWithNames: 1, isShared: false },
};

/** Writes what this version reads and writes, from the places that decide it, for `latchkey upgrade-check` of any version. */
export const writeCompatibility = async (root: URL): Promise<void> => {
  const blocks = await documentedBlocks();
  const keys = blocks.flatMap(({ path, options }) =>
    Object.keys(options).map((key) => (path === '' ? key : `${path}.${key}`)),
  );
  const content: Compatibility = {
    version,
    stores: Object.fromEntries(Object.keys(stores).map((type) => [type, others[type] ?? marked])),
    ports: portVersions,
    fields: userFields.map(({ name }) => name),
    mails: mailKinds,
    options: [...new Set(keys)].toSorted(),
  };
  await writeFile(new URL(compatibilityFile, root), `${JSON.stringify(content, null, 1)}\n`);
};
