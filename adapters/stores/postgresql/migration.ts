import type { Fault } from '../../../application/fault.ts';
import type { Migration } from '../../kit/definition.ts';
import { inspected, schemaOf } from './catalogue.ts';
import { toFault } from './errors.ts';
import type { Database } from './postgresql-database.ts';

/** SQL for psql. If a statement fails, none of them changes anything. */
const scriptOf = ({ tables }: Database, statements: readonly string[]): string => {
  const granted = Object.values(tables).join(', ');
  const transaction = ['BEGIN', ...statements, 'COMMIT'].map((statement) => `${statement};`);
  return [
    ...(statements.length === 0 ? ['-- Nothing is missing.'] : transaction),
    '-- The role of the service needs no more than this, here named latchkey:',
    `-- GRANT USAGE ON SCHEMA ${schemaOf(tables)} TO latchkey;`,
    `-- GRANT SELECT, INSERT, UPDATE, DELETE ON ${granted} TO latchkey;`,
    '',
  ].join('\n');
};

/** Compares a database with what this version needs, whatever its service may do. */
export const openMigration = async (database: Database): Promise<Migration> => {
  const { preparation, tables } = database;
  let failure: Fault | undefined;
  const found = await preparation.inspect().catch((error: unknown) => {
    failure = toFault(error);
    return inspected(tables, []);
  });
  return {
    missing: found.missing,
    script: scriptOf(database, found.statements),
    failure,
    create: () => preparation.create(found),
    close: () => database.close(),
  };
};
