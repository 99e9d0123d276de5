import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { createUser, eachWithInstallation, readUser } from './installation.ts';

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

  it('has a file that check looks at, as the service would open it, and does not create', async () => {
    const { folder } = installation();
    const check = async (file: string) => {
      await installation().configure({ audit: { file } });
      const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
      return [status, stdout.split('\n').find((line) => line.includes(' audit: '))];
    };
    const file = join(folder, 'audit/audit.jsonl');
    expect(await check(file)).to.eql([0, `ok    audit: ${file} does not exist yet; the service creates it`]);
    expect(existsSync(join(folder, 'audit'))).to.equal(false);
    await installation().write('lines.jsonl', '{}\n');
    const lines = join(folder, 'lines.jsonl');
    expect(await check(lines)).to.eql([0, `ok    audit: lines are written to ${lines}`]);
    expect(await readFile(lines, 'utf8')).to.equal('{}\n');
    expect(await check(folder)).to.eql([1, `FAIL  audit: ${folder} is a folder; write the path of a file (EISDIR)`]);
    const inFile = join(lines, 'audit.jsonl');
    expect(await check(inFile)).to.eql([1, `FAIL  audit: ${inFile} does not exist, and this user may not create it`]);
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

  for (const workers of [1, 2])
    it(`loses no line when logrotate renames its file, with ${workers} process(es)`, async () => {
      const { folder } = installation();
      const secret = 'a secret of an administrator';
      await installation().configure({
        server: { host: '127.0.0.1', port: 0, adminPort: 0, workers },
        audit: { file: 'audit.jsonl' },
        admin: { keys: [{ application: 'ops', secret }] },
      });
      const { url, adminUrl, run, stop } = await installation().serve();
      const headers = { Authorization: `Basic ${Buffer.from(`ops:${secret}`).toString('base64')}` };
      let requests = 0;
      const ask = async (count: number): Promise<void> => {
        for (let n = 0; n < count; n++) {
          await Promise.all([
            readUser(url, 'ada@example.com'),
            fetch(`${adminUrl}/admin/users/ada@example.com`, { headers }),
          ]);
          requests += 2;
        }
      };
      for (const rotation of [1, 2]) {
        await ask(5);
        await rename(join(folder, 'audit.jsonl'), join(folder, `audit.jsonl.${rotation}`));
        const asked = ask(20);
        run.child.kill('SIGHUP');
        await asked;
        await eventually(async () => {
          await ask(1);
          expect(existsSync(join(folder, 'audit.jsonl'))).to.equal(true);
        }, 10_000);
      }
      await ask(5);
      expect(await (await fetch(`${adminUrl}/metrics`)).text()).to.match(/^latchkey_audit_failing 0$/m);
      expect(await stop()).to.equal(0);
      const names = ['audit.jsonl.1', 'audit.jsonl.2', 'audit.jsonl'];
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      expect(texts.join('').trim().split('\n')).to.have.lengthOf(requests);
      expect(texts[2]).to.include('"client":"dev","key":1').and.include('"client":"ops","key":1');
    });

  it('shows in the metrics that its disk is full, which does not delay a stop', async function () {
    if (!existsSync('/dev/full')) this.skip();
    await installation().configure({ audit: { file: '/dev/full' } });
    const { url, adminUrl, stop } = await installation().serve();
    expect(await readUser(url, 'ada@example.com')).to.equal(404);
    await eventually(
      async () => expect(await (await fetch(`${adminUrl}/metrics`)).text()).to.match(/^latchkey_audit_failing 1$/m),
      10_000,
    );
    expect(await stop()).to.equal(0);
  });

  it('and the metrics tell the keys of one application apart', async () => {
    const keys = ['the first secret', 'development-only'].map((secret) => ({ application: 'dev', secret }));
    await installation().configure({ audit: { file: 'audit.jsonl' }, auth: { keys } });
    const { url, adminUrl, stop } = await installation().serve();
    expect(await readUser(url, 'ada@example.com')).to.equal(404);
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(metrics.match(/^latchkey_key_requests_total.*$/gm)).to.deep.equal([
      'latchkey_key_requests_total{application="dev",key="1"} 0',
      'latchkey_key_requests_total{application="dev",key="2"} 1',
    ]);
    await stop();
    expect(await readFile(join(installation().folder, 'audit.jsonl'), 'utf8')).to.include('"client":"dev","key":2,');
  });

  it('and the metrics tell which permissions keys lacked, also after a reload', async () => {
    const configure = (title: string) =>
      installation().configure({
        audit: { file: 'audit.jsonl' },
        openApi: { title },
        auth: {
          keys: [{ application: 'dev', secret: 'development-only', may: ['create', 'update', 'delete', 'check'] }],
        },
        admin: { keys: [{ application: 'ops', secret: 'the secret of an administrator', may: ['list', 'read'] }] },
      });
    await configure('first');
    const serving = await installation().serve();
    const { url, adminUrl, run, stop } = serving;
    const authorization = `Basic ${Buffer.from('ops:the secret of an administrator').toString('base64')}`;
    const refused = async (): Promise<void> => {
      expect(await readUser(url, 'ada@example.com')).to.equal(403);
      const page = `${adminUrl}/admin/delete?address=ada@example.com`;
      expect((await fetch(page, { headers: { authorization, accept: 'text/html' } })).status).to.equal(403);
    };
    await refused();
    await configure('second');
    run.child.kill('SIGHUP');
    await run.until(() => run.stdout.includes('the configuration was reloaded'));
    await refused();
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(metrics.match(/^latchkey_not_permitted_total\{port="service".*$/gm)).to.deep.equal(
      Object.entries({ read: 2, verify: 0, recover: 0, 'issue-token': 0, 'without-password': 0 }).map(
        ([permission, total]) =>
          `latchkey_not_permitted_total{port="service",application="dev",permission="${permission}"} ${total}`,
      ),
    );
    expect(metrics).to.include('latchkey_not_permitted_total{port="admin",application="ops",permission="delete"} 2');
    expect(await stop()).to.equal(0);
  });

  it('is a wrong configuration if its file cannot be opened', async () => {
    await installation().configure({ audit: { file: '.' } });
    const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.include('audit.file: is a folder; write the path of a file (EISDIR)');
  });

  it('is refused if its file is a pipe that no program reads, also by check, instead of waiting for a reader', async () => {
    execFileSync('mkfifo', ['pipe'], { cwd: installation().folder });
    await installation().configure({ audit: { file: 'pipe' } });
    const reason = 'is a pipe that no program reads, or a socket; write the path of a file, or to: log (ENXIO)';
    const started = await installation().command(['serve', 'latchkey.yaml']);
    expect(started.status).to.equal(2);
    expect(started.stderr).to.include(`audit.file: ${reason}`);
    const checked = await installation().command(['check', 'latchkey.yaml']);
    expect(checked.status).to.equal(1);
    expect(checked.stdout).to.include(`pipe ${reason}`);
  });
});
