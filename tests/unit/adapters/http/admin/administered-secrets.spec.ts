import { expect } from 'chai';
import {
  administeredWriter,
  exportSchema,
  secretFields,
  states,
} from '../../../../../adapters/http/admin/administration/administered-user.ts';
import { UserReferences } from '../../../../../adapters/http/admin/administration/user-references.ts';
import { userSchema } from '../../../../../adapters/http/api/accounts/user-schema.ts';
import { lineOf } from '../../../../../adapters/json-lines/user-line.ts';
import { assembleUser } from '../../../../../adapters/kit/user-json/stored-user.ts';
import { exportedUser } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { systemClock } from '../../../../../adapters/system-clock.ts';
import { type UserField, userFields } from '../../../../../domain/user-fields.ts';

const fields: readonly UserField[] = userFields;
const canaryOf = ({ name }: UserField): string => `canary-${name}`;

const user = assembleUser(
  fields.map((field) => {
    if (field.kind === 'text') return canaryOf(field);
    if (field.kind === 'address') return `${field.name}@example.com`;
    if (field.kind === 'properties') return '{}';
    if (field.kind === 'id') return 'an-id';
    return field.kind === 'time' ? 1 : true;
  }),
);

const administeredUserJson = administeredWriter(null, systemClock);

/** Texts that administrators may see. A new field is a secret until it is listed here. */
const harmless: ReadonlySet<string> = new Set(['disabledReason']);

describe('the JSON of a user for administrators', () => {
  it('has no hash, token or digest', () => {
    const json = administeredUserJson(user);
    for (const field of fields.filter(({ kind }) => kind === 'text'))
      expect(json.includes(canaryOf(field)), field.name).to.equal(harmless.has(field.name));
  });

  it('has exactly the members of its schema', () => {
    const { email, ...others } = JSON.parse(administeredUserJson(user));
    const { properties } = Object(userSchema(secretFields, {}, states));
    expect(Object.keys(email)).to.deep.equal(Object.keys(properties.email.properties));
    expect(['email', ...Object.keys(others)]).to.deep.equal(Object.keys(properties));
  });
});

describe('the export of one user', () => {
  it('has every field but passwords, tokens and digests, in the order of an export', () => {
    const { email, ...others } = JSON.parse(exportedUser(user));
    const exported = fields.filter(({ kind, name }) => kind !== 'text' || harmless.has(name));
    const namesIn = (owner: string) => exported.filter((field) => field.in === owner).map(({ name }) => name);
    expect(Object.keys(email)).to.have.members(namesIn('email'));
    expect(Object.keys(others)).to.have.members(namesIn('user').filter((name) => name !== 'properties'));
    const whole = JSON.parse(lineOf(user));
    expect(whole).to.deep.include(others);
    expect(Object.keys(whole.email).filter((name) => name in email)).to.deep.equal(Object.keys(email));
  });

  it('has exactly the members of its schema', () => {
    for (const hasIds of [true, false]) {
      const { id: _, ...withoutId } = user;
      const { email, ...others } = JSON.parse(exportedUser(hasIds ? user : withoutId));
      const { properties } = Object(exportSchema(new UserReferences(hasIds, [])));
      expect(Object.keys(email)).to.have.members(Object.keys(properties.email.properties));
      expect(['email', ...Object.keys(others)]).to.have.members(Object.keys(properties));
    }
  });
});
