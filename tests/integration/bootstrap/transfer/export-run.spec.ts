import { appendFile, chmod, link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MemoryUserStore } from '../../../../adapters/stores/memory/memory-user-store.ts';
import { Fault } from '../../../../application/fault.ts';
import { ExportFile } from '../../../../bootstrap/transfer/export-file.ts';
import { exportUsers, type Sink } from '../../../../bootstrap/transfer/export-run.ts';
import { patiently } from '../../../../bootstrap/transfer/retry.ts';
import { UnusableFile } from '../../../../bootstrap/transfer/unusable-file.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { rejection } from '../../../support/rejection.ts';

const silent = { at: () => undefined, end: () => undefined };

describe('an export that is interrupted', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-export-'));
    path = join(folder, 'users.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const storeOf = async (size: number): Promise<MemoryUserStore> => {
    const store = new MemoryUserStore();
    for (let n = 0; n < size; n++) await store.insert(userOf(`user-${n}@example.com`));
    return store;
  };

  it('goes on after the last page that is whole, and everyone is in the file once', async () => {
    const store = await storeOf(900);
    const file = await ExportFile.create(path);
    const failing: Sink = {
      write: async (text) => file.write(text),
      mark: async (next, users) => {
        if (users > 400) throw new Error('cut off');
        await file.mark(next, users);
      },
    };
    await rejection(exportUsers(store, failing, silent, { next: undefined, users: 0 }));
    await file.close();
    await appendFile(path, '{"email":{"addr');

    const { file: again, position } = await ExportFile.resume(path);
    expect(position.users).to.equal(400);
    expect(await exportUsers(store, again, silent, position)).to.equal(900);
    await again.finish();
    await again.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const addresses = lines.map((line) => JSON.parse(line).email.address);
    expect([lines.length, new Set(addresses).size]).to.deep.equal([900, 900]);
    expect(await readdir(folder)).to.deep.equal(['users.jsonl']);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
  });

  it('goes on from the beginning when it was cut off within the first page', async () => {
    const file = await ExportFile.create(path);
    await file.write('{"email":{"addr');
    await file.close();

    const { file: again, position } = await ExportFile.resume(path);
    expect(position).to.deep.equal({ next: undefined, bytes: 0, users: 0 });
    expect(await exportUsers(await storeOf(3), again, silent, position)).to.equal(3);
    await again.finish();
    await again.close();
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).to.have.length(3);
    expect(await readdir(folder)).to.deep.equal(['users.jsonl']);
  });

  it('is not begun over a file that exists, and not gone on with where nothing is unfinished', async () => {
    expect(await rejection(ExportFile.resume(path))).to.be.instanceOf(UnusableFile);
    const file = await ExportFile.create(path);
    await file.finish();
    await file.close();
    expect(await rejection(ExportFile.create(path))).to.be.instanceOf(UnusableFile);
    expect(await rejection(ExportFile.resume(path))).to.be.instanceOf(UnusableFile);
  });

  describe('in a folder in which others may write', () => {
    const secret = 'a file of the operator';
    let victim: string;
    beforeEach(async () => {
      victim = join(folder, 'victim');
      await writeFile(victim, secret);
    });
    afterEach(async () => expect(await readFile(victim, 'utf8')).to.equal(secret));

    it('follows no link that was planted where it notes its position', async () => {
      for (const name of [`${path}.position.new`, `${path}.position`]) await symlink(victim, name);
      const file = await ExportFile.create(path);
      await symlink(victim, `${path}.position.new`);
      await file.mark('next', 0);
      await file.close();
      const resumed = await ExportFile.resume(path);
      await resumed.file.close();
      expect(resumed.position.next).to.equal('next');
    });

    it('begins no file through a link, also one that leads nowhere', async () => {
      await symlink(victim, path);
      expect(await rejection(ExportFile.create(path))).to.be.instanceOf(UnusableFile);
      await rm(path);
      await symlink(join(folder, 'nothing'), path);
      expect(await rejection(ExportFile.create(path))).to.include({ code: 'EEXIST' });
      expect(await readdir(folder)).to.have.members(['victim', 'users.jsonl']);
    });

    it('goes on with no file that another user may read or owns, nor one shorter than its position', async () => {
      const begin = async (position: object, mode: number): Promise<void> => {
        await writeFile(`${path}.position`, JSON.stringify(position), { mode: 0o600 });
        await writeFile(path, 'four', { mode: 0o600 });
        await chmod(path, mode);
      };
      for (const [position, mode] of [
        [{ bytes: 4, users: 0 }, 0o644],
        [{ bytes: 5, users: 0 }, 0o600],
        [{ bytes: -1, users: 0 }, 0o600],
        [{ bytes: 1.5, users: 0 }, 0o600],
      ] as const) {
        await begin(position, mode);
        expect(await rejection(ExportFile.resume(path)), JSON.stringify(position)).to.be.instanceOf(UnusableFile);
        expect(await readFile(path, 'utf8')).to.equal('four');
      }
      await begin({ bytes: 4, users: 0 }, 0o600);
      const resumed = await ExportFile.resume(path);
      await resumed.file.close();
      expect(resumed.position.bytes).to.equal(4);
    });

    it('goes on with no file through a link', async () => {
      await writeFile(`${path}.position`, JSON.stringify({ bytes: 0, users: 0 }), { mode: 0o600 });
      await symlink(victim, path);
      expect(await rejection(ExportFile.resume(path))).to.include({ code: 'ELOOP' });
      await rm(path);
      await link(victim, path);
      expect(await rejection(ExportFile.resume(path))).to.be.instanceOf(UnusableFile);
    });
  });

  it('waits for a database that is away, for some time', async () => {
    const faults = [new Fault('store_unavailable', 'away'), new Fault('timed_out', 'slow')];
    const outcome = await patiently(async () => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      return 'done';
    });
    expect(outcome).to.equal('done');
    const away = new Fault('store_unavailable', 'away');
    expect(await rejection(patiently(() => Promise.reject(away), 0))).to.equal(away);
    const rejected = new Fault('store_rejected', 'no');
    expect(await rejection(patiently(() => Promise.reject(rejected)))).to.equal(rejected);
  });
});
