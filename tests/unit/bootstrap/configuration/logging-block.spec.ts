import { expect } from 'chai';
import { configured, database, problemsOf } from './read-configuration.ts';

describe('the block audit', () => {
  const withAudit = (audit: object, logging = {}): string =>
    `${database}\naudit: ${JSON.stringify(audit)}\nlogging: ${JSON.stringify(logging)}`;

  it('is undefined when it is absent, and writes to a file or to the log', async () => {
    expect((await configured(database)).audit).to.equal(undefined);
    expect((await configured(withAudit({ file: 'audit.jsonl' }))).audit).to.deep.equal({
      to: 'file',
      file: 'audit.jsonl',
    });
    expect((await configured(withAudit({ to: 'log' }))).audit).to.deep.equal({ to: 'log' });
  });

  it('reports contradictions', async () => {
    expect(await problemsOf(withAudit({}))).to.deep.equal([
      'audit.file: is required with to: file; write the path of the file, or to: log',
    ]);
    expect(await problemsOf(withAudit({ to: 'log', file: 'audit.jsonl' }))).to.deep.equal([
      'audit.file: has no effect with to: log; remove it, or write to: file',
    ]);
    expect(await problemsOf(withAudit({ to: 'log' }, { level: 'warn' }))).to.deep.equal([
      'audit.to: has no effect: logging.level drops the lines; write level: info there, or to: file here',
    ]);
  });
});
