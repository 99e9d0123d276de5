import type { Problem } from '../../adapters/kit/option-block.ts';
import type { Folding } from '../../domain/property-folding.ts';

/** An entry of `properties.allowed`. */
export interface AllowedProperty {
  readonly name: string;
  readonly type: string;
  readonly unique: boolean;
  readonly fold: Folding;
}

export interface NamingBlocks {
  readonly users: { readonly ids: boolean };
  readonly properties?: { readonly allowed: readonly AllowedProperty[] };
  readonly signUp?: { readonly oneAccountPerMailbox: boolean };
}

/** What users are found by besides the address, and the option that asks for it; undefined if they are found by that only. */
export const namingOf = ({ users: { ids }, properties, signUp }: NamingBlocks) => {
  const unique = (properties?.allowed ?? []).filter((property) => property.unique);
  const mailboxes = signUp?.oneAccountPerMailbox ?? false;
  if (!ids && unique.length === 0 && !mailboxes) return undefined;
  const ofOthers = unique.length > 0 ? 'properties.allowed' : 'signUp.oneAccountPerMailbox';
  return { ids, unique, mailboxes, path: ids ? 'users.ids' : ofOthers };
};

export type Naming = NonNullable<ReturnType<typeof namingOf>>;

/** What to do where a database has no index of ids and unique properties. */
export const withoutNames = (database: string): string =>
  `the database of type ${database} can store neither ids nor unique properties; use another database`;

const maxUnique = 5;

/** The parameters of requests, by which no user is found. */
const parameters: ReadonlySet<string> = new Set([
  ...'id email password token address response_type locale verified inactiveSince state property value'.split(' '),
  ...'addressContains limit after sort total request'.split(' '),
]);

const problemOf = ({
  name,
  type,
  unique,
  fold,
}: AllowedProperty): readonly [option: string, message: string] | undefined => {
  if (!unique) return fold === 'exact' ? undefined : ['fold', 'needs unique: true'];
  if (type !== 'string' && type !== 'integer') return ['type', 'expected string or integer, because it is unique'];
  if (type === 'integer' && fold !== 'exact') return ['fold', 'expected exact, because it is an integer'];
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(name))
    return ['name', 'expected 1 to 64 ASCII letters, digits and _ - . after a letter, because it is unique'];
  if (parameters.has(name)) return ['name', 'is a parameter of requests, so that it cannot be unique; rename it'];
  return undefined;
};

/** The custom properties by which users cannot be found, and one called `id` where users have ids. */
export const impossibleNames = (
  { allowed }: NonNullable<NamingBlocks['properties']>,
  { users }: Pick<NamingBlocks, 'users'>,
): readonly Problem[] => {
  const unique = allowed.filter((property) => property.unique);
  const names = allowed.map(({ name }) => name);
  return [
    ...allowed.flatMap((property, index): readonly Problem[] => {
      const at = (option: string, message: string) => ({ path: `allowed.${index}.${option}`, message });
      if (users.ids && property.name === 'id')
        return [at('name', 'is a member of every user with users.ids; remove it, and latchkey ids keeps the values')];
      const problem = problemOf(property);
      if (problem !== undefined) return [at(...problem)];
      const isRepeated = property.unique && names.lastIndexOf(property.name) !== names.indexOf(property.name);
      if (isRepeated) return [at('name', 'is there twice, so that it cannot be unique')];
      const first = allowed[names.indexOf(property.name)];
      if (first === undefined || first.unique || first.type === property.type) return [];
      return [at('type', 'differs from an earlier entry with this name')];
    }),
    ...(unique.length > maxUnique
      ? [{ path: 'allowed', message: `expected at most ${maxUnique} with unique: true` }]
      : []),
  ];
};
