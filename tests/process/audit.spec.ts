import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createUser, eachWithInstallation } from './installation.ts';

describe('the audit of a process', () => {
  const installation = eachWithInstallation();

  it('is complete after the process has stopped', async () => {
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

  it('is logged as JSON without duplicate names', async () => {
    await installation().configure({ audit: { to: 'log' } });
    const { url, stop, run } = await installation().serve();
    await createUser(url, 'ada@example.com');
    await stop();
    const [line, ...others] = run.stdout.split('\n').filter((text) => text.includes('"msg":"audit"'));
    expect(others).to.deep.equal([]);
    const names = line?.match(/"\w+":/g) ?? [];
    expect(names).to.include.members(['"time":', '"user":', '"outcome":']);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('is a wrong configuration if its file cannot be opened', async () => {
    await installation().configure({ audit: { file: '.' } });
    const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.include('audit.file: is a folder; write the path of a file (EISDIR)');
  });
});
