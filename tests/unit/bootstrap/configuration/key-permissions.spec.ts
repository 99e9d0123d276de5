import { expect } from 'chai';
import { permissionLines, unlimitedKeys } from '../../../../bootstrap/configuration/key-permissions.ts';
import { configured } from './read-configuration.ts';

const database = 'database: {type: memory}';
const secret = 'secret: a secret of the tests';

describe('what keys may do', () => {
  it('is a line for each key and at most 80 columns wide, with the permissions below each other', async () => {
    const configuration = await configured(`${database}
auth:
  keys:
    - { application: shop, ${secret}, may: [delete, check, create, read, update, verify, recover] }
    - { application: payments, ${secret}, may: [update, without-password, read] }
    - { application: backend, ${secret}, may: [create, read, update, delete, verify, recover, check, issue-token] }
    - { application: job, ${secret}, may: [create, read, update, delete, verify, recover, check, issue-token, without-password] }
    - { application: locked, ${secret}, may: [] }
    - { application: former, ${secret} }
admin:
  keys:
    - { application: support, secret: a secret of support, may: [mail, list, read] }
    - { application: root, secret: a secret of the root }
`);
    const lines = permissionLines(configuration);
    expect(lines).to.deep.equal([
      'client shop      create read update delete verify recover check',
      'client payments  read update without-password',
      'client backend   everything',
      'client job       everything without-password',
      'client locked    nothing',
      'client former    everything',
      'administrator support  list read mail',
      'administrator root     everything',
    ]);
    for (const line of lines) expect(`warn  ${line}`.length).to.be.at.most(80);
    expect(unlimitedKeys(configuration)).to.deep.equal([
      'auth.keys[5], admin.keys[1]: may is absent, so that everything is permitted; list what each key needs',
    ]);
  });

  it('is a line for all tokens, with a warning without a prefix of their scopes', async () => {
    const oauth = 'type: oauth, issuer: me, hmacSecret: 0123456789abcdef0123456789abcdef';
    const warning =
      'auth: scopePrefix is absent, so that tokens permit everything; let their scopes list what each client needs';
    for (const [option, line, warnings] of [
      ['', 'tokens  everything', [warning]],
      [', scopePrefix: "users:"', 'tokens  what scopes name after users:', []],
    ] as const) {
      const configuration = await configured(`${database}\nauth: {${oauth}${option}}`);
      expect(permissionLines(configuration)).to.deep.equal([line]);
      expect(unlimitedKeys(configuration)).to.deep.equal(warnings);
    }
  });

  it('is nothing without keys, and causes no warning with the key for development', async () => {
    expect(permissionLines(await configured(database))).to.deep.equal([]);
    const development = await configured(`${database}\nauth: {keys: [{application: dev, secret: development-only}]}`);
    expect(permissionLines(development)).to.deep.equal(['client dev  everything']);
    expect(unlimitedKeys(development)).to.deep.equal([]);
    const administered = await configured(`${database}
auth: {keys: [{application: shop, ${secret}}]}
admin: {keys: [{application: admin, secret: administration-only}]}`);
    expect(unlimitedKeys(administered)).to.deep.equal([]);
  });
});
