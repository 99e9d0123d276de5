import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { QueryBus } from '../../../../application/bus.ts';
import { CommandError } from '../../../../bootstrap/commands/command-errors.ts';
import { type ExportTarget, writeUsers } from '../../../../bootstrap/commands/export.ts';
import { ExportFile } from '../../../../bootstrap/commands/export-file.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { openService } from '../../../unit/application/wired-service.ts';

const noProgress = { update: () => undefined, end: () => undefined };

describe('an export that is interrupted', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-export-'));
    path = join(folder, 'users.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** The export of a store that holds so many users. */
  const exportOf = async (size: number): Promise<QueryBus> => {
    const { store, queries } = await openService();
    await Promise.all(Array.from({ length: size }, (_, n) => store.insert(userOf(`user-${n}@example.com`))));
    return queries;
  };

  it('continues after the last complete page, and writes every user once', async () => {
    const users = await exportOf(900);
    const file = await ExportFile.create(path);
    const failing: ExportTarget = {
      write: (lines) => file.write(lines),
      savePosition: async (next, users, unreadable) => {
        if (users > 400) throw new Error('cut off');
        await file.savePosition(next, users, unreadable);
      },
    };
    await rejection(writeUsers(users, failing, noProgress, { next: undefined, users: 0 }));
    await file.close();
    await appendFile(path, '{"email":{"addr');

    const { file: again, position } = await ExportFile.resume(path);
    expect(position.users).to.equal(400);
    expect(await writeUsers(users, again, noProgress, position)).to.deep.equal({ users: 900, unreadable: 0 });
    await again.finish();
    await again.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const addresses = lines.map((line) => JSON.parse(line).email.address);
    expect([lines.length, new Set(addresses).size]).to.deep.equal([900, 900]);
    expect(await readdir(folder)).to.deep.equal(['users.jsonl']);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
  });

  it('remembers how many damaged records it has left out', async () => {
    const file = await ExportFile.create(path);
    await file.savePosition('next', 0, 3);
    await file.close();
    const { file: again, position } = await ExportFile.resume(path);
    expect(await writeUsers(await exportOf(2), again, noProgress, { ...position, next: undefined })).to.deep.equal({
      users: 2,
      unreadable: 3,
    });
    await again.close();
  });

  it('starts again if it was cut off within the first page', async () => {
    const file = await ExportFile.create(path);
    await file.write('{"email":{"addr');
    await file.close();

    const { file: again, position } = await ExportFile.resume(path);
    expect(position).to.deep.equal({ next: undefined, bytes: 0, users: 0, unreadable: 0 });
    expect(await writeUsers(await exportOf(3), again, noProgress, position)).to.deep.equal({ users: 3, unreadable: 0 });
    await again.finish();
    await again.close();
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).to.have.length(3);
    expect(await readdir(folder)).to.deep.equal(['users.jsonl']);
  });

  it('creates no file that looks complete if it is cut off before its first position', async () => {
    await mkdir(`${path}.position`);
    expect(await rejection(ExportFile.create(path))).to.include({ syscall: 'rename' });
    expect(existsSync(path)).to.equal(false);
  });

  it('neither overwrites a file nor continues a complete one', async () => {
    expect(await rejection(ExportFile.resume(path))).to.be.instanceOf(CommandError);
    const file = await ExportFile.create(path);
    await file.finish();
    await file.close();
    expect(await rejection(ExportFile.create(path))).to.be.instanceOf(CommandError);
    expect(await rejection(ExportFile.resume(path))).to.be.instanceOf(CommandError);
  });

  describe('in a folder that other users may write to', () => {
    const secret = 'a file of the operator';
    let victim: string;
    beforeEach(async () => {
      victim = join(folder, 'victim');
      await writeFile(victim, secret);
    });
    afterEach(async () => expect(await readFile(victim, 'utf8')).to.equal(secret));

    it('follows no link in place of its position file', async () => {
      for (const name of [`${path}.position.new`, `${path}.position`]) await symlink(victim, name);
      const file = await ExportFile.create(path);
      await symlink(victim, `${path}.position.new`);
      await file.savePosition('next', 0, 0);
      await file.close();
      const resumed = await ExportFile.resume(path);
      await resumed.file.close();
      expect(resumed.position.next).to.equal('next');
    });

    it('creates no file through a link, even one to a missing file', async () => {
      await symlink(victim, path);
      expect(await rejection(ExportFile.create(path))).to.be.instanceOf(CommandError);
      await rm(path);
      await symlink(join(folder, 'nothing'), path);
      expect(await rejection(ExportFile.create(path))).to.be.instanceOf(CommandError);
      expect(await readdir(folder)).to.have.members(['victim', 'users.jsonl']);
    });

    it('continues no file that other users may read, nor one that is shorter than its position', async () => {
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
        expect(await rejection(ExportFile.resume(path)), JSON.stringify(position)).to.be.instanceOf(CommandError);
        expect(await readFile(path, 'utf8')).to.equal('four');
      }
      await begin({ bytes: 4, users: 0 }, 0o600);
      const resumed = await ExportFile.resume(path);
      await resumed.file.close();
      expect(resumed.position.bytes).to.equal(4);
    });

    it('continues no file through a link', async () => {
      await writeFile(`${path}.position`, JSON.stringify({ bytes: 0, users: 0 }), { mode: 0o600 });
      await symlink(victim, path);
      expect(await rejection(ExportFile.resume(path))).to.include({ code: 'ELOOP' });
      await rm(path);
      await link(victim, path);
      expect(await rejection(ExportFile.resume(path))).to.be.instanceOf(CommandError);
    });
  });
});
