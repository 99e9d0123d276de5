import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createFolder } from '../../../../adapters/kit/file-creation.ts';

describe('creating a folder', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'latchkey-folder-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('creates those above it for the owner only, and leaves existing ones', () => {
    const folder = join(parent, 'a', 'b');
    createFolder(folder);
    createFolder(folder);
    expect([join(parent, 'a'), folder].map((path) => statSync(path).mode & 0o777)).to.deep.equal([0o700, 0o700]);
  });

  it('fails below a file', () => {
    writeFileSync(join(parent, 'file'), '');
    expect(() => createFolder(join(parent, 'file', 'a'))).to.throw('ENOTDIR');
  });

  it('fails where the system creates no folders although the one above exists', function () {
    if (process.platform !== 'linux') {
      console.warn('SKIPPED: only Linux has /proc');
      this.skip();
    }
    const folder = fileURLToPath(new URL('../../../../', import.meta.url));
    const code = "import { createFolder } from './adapters/kit/file-creation.ts'; createFolder('/proc/none/folder');";
    const args = ['--import=./tools/typescript.js', '--input-type=module', '--eval', code];
    // In a process of its own, because a call that never returns would stop all tests.
    const { stderr, signal } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 20_000 });
    expect(signal).to.equal(null);
    expect(stderr).to.include("ENOENT: no such file or directory, mkdir '/proc/none'");
  });
});
