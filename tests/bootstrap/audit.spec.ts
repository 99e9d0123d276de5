import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createUser, eachWithInstallation } from './installation.ts';

describe('the audit of a process', () => {
  const installation = eachWithInstallation();

  it('is complete when the process was stopped', async () => {
    await installation().configure({ audit: { file: 'audit/audit.jsonl' } });
    const { url, stop } = await installation().serve();
    const created = Array.from({ length: 50 }, (_, n) => createUser(url, `user-${n}@example.com`));
    await Promise.all(created);
    expect(await stop()).to.equal(0);
    const lines = (await readFile(join(installation().folder, 'audit/audit.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).operation)).to.deep.equal(
      Array.from({ length: 50 }, () => 'createUser'),
    );
  });

  it('that can not be opened is a wrong configuration', async () => {
    await installation().configure({ audit: { file: '.' } });
    const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.include('audit.file: is a folder; write the path of a file (EISDIR)');
  });
});
