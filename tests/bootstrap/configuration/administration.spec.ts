import { expect } from 'chai';
import { configured, database, problemsOf, warningsOf } from './reading.ts';

const admin = (options: string): string => `${database}\nadmin: ${options}`;

describe('the block admin', () => {
  it('has no keys unless it names some', async () => {
    expect((await configured(database)).admin).to.eql({ keys: [] });
    expect((await configured(admin('{}'))).admin).to.eql({ keys: [] });
    expect((await configured(admin('{keys: [{application: root, secret: x}]}'))).admin).to.eql({
      keys: [{ application: 'root', secret: 'x' }],
    });
  });

  it('is refused with every problem, and without a value', async () => {
    expect(await problemsOf(admin('{keys: [{application: "a:b"}], key: 1}'))).to.eql([
      'admin.keys[0].application: an application has no colon in its name: the first one ends it (RFC 7617)',
      'admin.keys[0].secret: is required: text (in quotes if it looks like a number)',
      'admin.key: unknown key; did you mean keys?',
    ]);
  });

  it('shares no key with clients', async () => {
    const keys = '{keys: [{application: one, secret: a}, {application: two, secret: b}]}';
    const other = '{keys: [{application: two, secret: b}, {application: one, secret: another}]}';
    expect(await problemsOf(`${admin(other)}\nauth: ${keys}`)).to.eql([
      'admin.keys[0]: is a key of auth, too; administrators need their own',
    ]);
  });

  it('of a Dropwizard file has no effect, and a warning says so', async () => {
    expect(await warningsOf(admin('{healthChecks: {servletEnabled: true}, tasks: {}}'))).to.include.members([
      'admin.healthChecks has no effect',
      'admin.tasks has no effect',
    ]);
  });
});
