import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openAuditFile } from '../../../../adapters/observability/audit-file.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { eventually } from '../../../support/eventually.ts';

describe('the audit file', () => {
  let folder: string;
  let lines: string[];
  const record = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log: Log = { info: record, warn: record, error: record };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-audit-'));
    lines = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('contains every line after it is closed, behind the earlier ones', async () => {
    const path = join(folder, 'deep', 'audit.jsonl');
    for (const first of [0, 100]) {
      const file = openAuditFile(path, log);
      for (let n = first; n < first + 100; n++) file.write({ n });
      await file.close();
    }
    const written = (await readFile(path, 'utf8')).trim().split('\n');
    expect(written.map((line) => JSON.parse(line).n)).to.deep.equal(Array.from({ length: 200 }, (_, n) => n));
    expect(lines).to.deep.equal([]);
  });

  it('goes on in a new file after a rotation by renaming, without losing a line', async () => {
    const path = join(folder, 'audit.jsonl');
    const file = openAuditFile(path, log);
    let n = 0;
    for (const rotation of [1, 2, 3, 4, 5]) {
      for (let line = 0; line < 2_000; line++) file.write({ n: n++ });
      await rename(path, `${path}.${rotation}`);
      for (let line = 0; line < 2_000; line++) file.write({ n: n++ });
      file.reopen();
      // Once more before the file is open.
      file.reopen();
    }
    file.write({ n: n++ });
    await file.close();
    file.reopen();
    const names = (await readdir(folder)).sort();
    expect(names).to.deep.equal(['audit.jsonl', ...[1, 2, 3, 4, 5].map((rotation) => `audit.jsonl.${rotation}`)]);
    const texts = await Promise.all(
      [...names.slice(1), 'audit.jsonl'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    const written = texts.join('').trim().split('\n');
    expect(written.map((line) => JSON.parse(line).n)).to.deep.equal(Array.from({ length: n }, (_, line) => line));
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(lines).to.deep.equal([]);
  });

  it('goes on in a new file after the former one was removed, and says so', async () => {
    const path = join(folder, 'audit.jsonl');
    const file = openAuditFile(path, log);
    file.write({ n: 0 });
    await eventually(async () => expect((await stat(path)).size).to.be.above(0), 5_000);
    await rm(path);
    file.write({ n: 1 });
    await eventually(async () => expect((await stat(path)).size).to.equal(0), 5_000);
    file.write({ n: 2 });
    await file.close();
    expect(await readFile(path, 'utf8')).to.equal('{"n":2}\n');
    expect(lines[0]).to.match(/^the audit file cannot be written.*removed/);
  });

  it('stays in the former file if no new one can be created', async () => {
    const path = join(folder, 'logs', 'audit.jsonl');
    const file = openAuditFile(path, log);
    file.write({ n: 1 });
    await eventually(async () => expect(await readFile(path, 'utf8')).to.equal('{"n":1}\n'), 5_000);
    await rename(join(folder, 'logs'), join(folder, 'moved'));
    file.reopen();
    file.write({ n: 2 });
    await file.close();
    expect(await readFile(join(folder, 'moved', 'audit.jsonl'), 'utf8')).to.equal('{"n":1}\n{"n":2}\n');
    expect(lines[0]).to.include('"reason":"ENOENT"');
  });

  it('may be a pipe that a program reads, such as standard output, and is never one without a reader', async () => {
    const [path, pipe] = [join(folder, 'audit.jsonl'), join(folder, 'pipe')];
    execFileSync('mkfifo', [pipe]);
    const withoutReader = () => openAuditFile(pipe, log);
    expect(withoutReader).to.throw().with.property('code', 'ENXIO');
    const reader = await open(pipe, constants.O_RDWR);
    const piped = openAuditFile(pipe, log);
    piped.write({ n: 1 });
    await piped.close();
    const { buffer, bytesRead } = await reader.read();
    await reader.close();
    expect(buffer.toString('utf8', 0, bytesRead)).to.equal('{"n":1}\n');
    const file = openAuditFile(path, log);
    await rename(path, `${path}.1`);
    await rename(pipe, path);
    file.reopen();
    file.write({ n: 2 });
    await file.close();
    expect(await readFile(`${path}.1`, 'utf8')).to.equal('{"n":2}\n');
    expect(lines[0]).to.equal('the audit file cannot be written; requests are not affected {"reason":"ENXIO"}');
  });

  it('counts in its metrics what a full disk costs', async () => {
    const values = () => file.metrics().map(({ values: [sample] }) => sample?.value);
    const file = openAuditFile('/dev/full', log);
    expect(values()).to.deep.equal([0, 0]);
    file.write({ n: 1 });
    await eventually(async () => expect(values()).to.deep.equal([1, 0]), 5_000);
    const text = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 10; n++) file.write({ text });
    expect(values()).to.deep.equal([1, 3]);
    await file.close();
  });

  it('begins with a new line after one that a full disk or a kill has cut off', async () => {
    const path = join(folder, 'audit.jsonl');
    for (const former of ['{"n":0}\n{"n":1', '{"n":0}\n', '']) {
      await writeFile(path, former);
      const file = openAuditFile(path, log);
      file.write({ n: 2 });
      await file.close();
      const end = former === '' || former.endsWith('\n') ? '' : '\n';
      expect(await readFile(path, 'utf8')).to.equal(`${former}${end}{"n":2}\n`);
    }
    expect(lines).to.deep.equal([]);
  });

  it('logs one error when the disk is full', async () => {
    const file = openAuditFile('/dev/full', log);
    file.write({ n: 1 });
    await eventually(async () => expect(lines).to.have.length(1), 5_000);
    for (let n = 0; n < 100; n++) file.write({ n });
    await file.close();
    expect(lines).to.deep.equal(['the audit file cannot be written; requests are not affected {"reason":"ENOSPC"}']);
  });

  it('throws when it cannot be opened', () => {
    expect(() => openAuditFile(folder, log))
      .to.throw()
      .with.property('code', 'EISDIR');
  });
});
