import { expect } from 'chai';
import { sha256 } from '../../../support/client-keys.ts';
import { Environment } from '../../../support/environment.ts';
import { configured, database, problemsOf, warningsOf } from './read-configuration.ts';

const secret = '16 characters!!!';
const admin = (options: string): string => `${database}\nadmin: ${options}`;

describe('the block admin', () => {
  it('has no keys by default', async () => {
    expect((await configured(database)).admin).to.eql({ keys: [], createUsers: false, nameProperty: null });
    expect((await configured(admin('{}'))).admin).to.eql({ keys: [], createUsers: false, nameProperty: null });
    expect((await configured(admin(`{keys: [{application: root, secret: "${secret}"}]}`))).admin).to.eql({
      keys: [
        {
          application: 'root',
          secrets: [{ secret, sha256: sha256(secret), expires: null, option: 'admin.keys[0].secret' }],
          may: null,
        },
      ],
      createUsers: false,
      nameProperty: null,
    });
  });

  it('refuses a secret of fewer than 16 characters, without repeating it', async () => {
    expect(await problemsOf(admin('{keys: [{application: root, secret: "15 characters!!"}]}'))).to.eql([
      'admin.keys[0].secret: is too short; expected at least 16 characters; to make one: openssl rand -base64 24',
    ]);
  });

  it('checks the length of a secret, not of its placeholder', async () => {
    const environment = new Environment();
    environment.set('A_SECRET_WITH_A_LONG_NAME', 'short');
    environment.set('S', secret);
    try {
      const [problem, ...others] = await problemsOf(
        admin('{keys: [{application: root, secret: "${A_SECRET_WITH_A_LONG_NAME}"}]}'),
      );
      expect(problem).to.include('admin.keys[0].secret: is too short');
      expect(others).to.eql([]);
      expect((await configured(admin('{keys: [{application: root, secret: "${S}"}]}'))).admin.keys).to.have.lengthOf(1);
    } finally {
      environment.restore();
    }
  });

  it('reports every problem, without values', async () => {
    expect(await problemsOf(admin('{keys: [{application: "a:b"}, {application: a}], key: 1}'))).to.eql([
      'admin.keys[0].application: must not contain a colon, which ends the user of Basic credentials',
      'admin.keys[1].secret: is required, or secrets instead',
      'admin.key: unknown key; did you mean keys?',
    ]);
  });

  it('takes the name of a property of at most 100 characters', async () => {
    expect((await configured(admin('{nameProperty: full name}'))).admin.nameProperty).to.equal('full name');
    expect(await problemsOf(admin(`{nameProperty: ${'a'.repeat(101)}}`))).to.eql([
      'admin.nameProperty: must have at most 100 characters',
    ]);
    expect(await problemsOf(admin('{nameProperty: ""}'))).to.have.lengthOf(1);
  });

  it('refuses keys of clients', async () => {
    const keys = `{keys: [{application: one, secret: a}, {application: two, secret: "${secret}"}]}`;
    const other = `{keys: [{application: two, secret: "${secret}"}, {application: one, secret: "${secret} "}]}`;
    expect(await problemsOf(`${admin(other)}\nauth: ${keys}`)).to.eql([
      'admin.keys[0]: is a key of auth too; administrators need a key of their own',
    ]);
  });

  it('warns of keys that only Dropwizard uses', async () => {
    expect(await warningsOf(admin('{healthChecks: {servletEnabled: true}, tasks: {}}'))).to.include.members([
      'admin.healthChecks has no effect',
      'admin.tasks has no effect',
    ]);
  });
});
