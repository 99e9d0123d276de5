import { expect } from 'chai';
import { configured, database, problemsOf } from './read-configuration.ts';

const hashing = `${database}\npasswordHash: {algorithm: sha256, serverSideHash: true}`;
const list = { 'list.txt': 'password\n' };

const rulesOf = async (options: string, file = hashing) =>
  (await configured(`${file}\npasswordRules: ${options}`, list)).passwordRules;

const problems = (options: string, file = hashing): Promise<readonly string[]> =>
  problemsOf(`${file}\npasswordRules: ${options}`, list);

describe('the block passwordRules', () => {
  it('is undefined when it is absent', async () => {
    expect((await configured(database)).passwordRules).to.equal(undefined);
    expect(await rulesOf('null')).to.equal(undefined);
  });

  it('has a default for every option', async () => {
    expect(await rulesOf('{}')).to.deep.equal({
      minLength: 8,
      maxLength: 256,
      minScore: null,
      notAddress: false,
      blocklist: null,
      onCheck: 'ignore',
    });
  });

  it('accepts every option', async () => {
    const rules = await rulesOf(
      '{minLength: 15, maxLength: 64, minScore: 3, notAddress: true, blocklist: "@/list.txt", onCheck: ignore}',
    );
    expect(rules).to.deep.include({ minLength: 15, maxLength: 64, minScore: 3, notAddress: true });
    expect(rules?.blocklist).to.match(/^\/.*list\.txt$/);
  });

  it('allows as many characters as bcrypt reads bytes', async () => {
    const bcrypt = `${database}\npasswordHash: {algorithm: bcrypt, serverSideHash: true}`;
    expect((await rulesOf('{}', bcrypt))?.maxLength).to.equal(72);
    expect((await rulesOf('{maxLength: 64}', bcrypt))?.maxLength).to.equal(64);
    expect(await problems('{maxLength: 73}', bcrypt)).to.deep.equal([
      'passwordRules.maxLength: must be at most 72 with passwordHash.algorithm: bcrypt, which reads 72 bytes',
    ]);
  });

  it('reports every problem', async () => {
    const block = '{minLength: 7, maxLength: 63, minScore: 5, notAddress: maybe, onCheck: warn, minLenght: 8}';
    expect(await problems(block)).to.deep.equal([
      'passwordRules.minLength: expected a whole number from 8 to 64',
      'passwordRules.maxLength: expected a whole number from 64 to 1024',
      'passwordRules.minScore: expected a whole number from 0 to 4',
      'passwordRules.notAddress: expected true or false',
      'passwordRules.onCheck: expected one of ignore, event',
      'passwordRules.minLenght: unknown key; did you mean minLength?',
    ]);
  });

  it('refuses a list that can not be read', async () => {
    expect(await problems('{blocklist: "@/missing.txt"}')).to.deep.equal([
      'passwordRules.blocklist: the file does not exist; relative paths start in the working directory of the service',
    ]);
    expect(await problems('{blocklist: "@/"}')).to.deep.equal([
      'passwordRules.blocklist: expected a file; this is a directory, or a device',
    ]);
    expect(await problemsOf(`${hashing}\npasswordRules: {blocklist: "@/list.txt"}`, { 'list.txt': '' })).to.deep.equal([
      'passwordRules.blocklist: the file is empty',
    ]);
  });

  it('needs passwords that the service hashes', async () => {
    expect(await problems('{}', database)).to.deep.equal([
      'passwordRules: needs passwordHash.serverSideHash: true; without it clients hash passwords, and the service sees none',
    ]);
  });

  it('onCheck: event needs a list and the block events', async () => {
    expect(await problems('{onCheck: event}')).to.deep.equal([
      'passwordRules.onCheck: needs passwordRules.blocklist, the list of known passwords',
    ]);
    expect(await problems('{onCheck: event, blocklist: "@/list.txt"}')).to.deep.equal([
      'passwordRules.onCheck: needs the block events, with the webhooks that receive the event',
    ]);
    const complete = `${hashing}\nevents: {webhooks: []}`;
    expect((await rulesOf('{onCheck: event, blocklist: "@/list.txt"}', complete))?.onCheck).to.equal('event');
  });
});
