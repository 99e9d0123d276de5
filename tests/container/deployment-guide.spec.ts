import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../benchmarks/free-port.ts';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { docker, image, needsImage } from './image.ts';

const blocks = fencedBlocksOf('deployment.md').filter(({ language }) => language === 'sh');
const [backUp = '', restore = ''] = fencedBlocksOf('operations.md')
  .filter(({ text }) => text.startsWith('docker '))
  .map(({ text }) => text);
const withText = (text: string): string => blocks.find((block) => block.text.includes(text))?.text ?? '';

describe('the container of docs/deployment.md', function () {
  this.timeout(60_000);
  needsImage();

  it('is started, called, checked, backed up and restored by the commands as they are written', async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const name = `latchkey-deployment-${port}`;
    const user = (method: string): string =>
      `curl --silent --request ${method} --user "web-app:$LATCHKEY_WEB_APP_SECRET" -H 'password: correct horse' 'http://localhost:8080/users?email=jane@example.com'\n`;
    const ready = 'until curl --silent --fail http://127.0.0.1:8081/readyz; do sleep 0.2; done\n';
    const copied = [backUp, user('DELETE'), restore, ready, 'echo restored\n', user('GET')]
      .join('')
      .replace('sh latchkey -c', `sh ${image} -c`)
      .replaceAll(/(?<=docker cp|docker start|--timeout 40|--volumes-from|\.db) latchkey(?![-.])/g, ` ${name}`);
    const commands = `${withText('docker build -t latchkey .\n')}${withText('docker exec latchkey')}${copied}`
      .replace('docker build -t latchkey .\n', '')
      .replace('--name latchkey ', `--name ${name} `)
      .replace('--volume latchkey:', `--volume ${name}:`)
      .replace('LATCHKEY_WEB_APP_SECRET latchkey\n', `LATCHKEY_WEB_APP_SECRET ${image}\n`)
      .replaceAll('docker exec latchkey', `docker exec ${name}`)
      .replaceAll(':8080:', `:${port}:`)
      .replaceAll(':8081:', `:${adminPort}:`)
      .replaceAll('localhost:8080', `localhost:${port}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${adminPort}`);
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-deployment-'));
    try {
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder });
      expect(stdout).to.include('"ready": true').and.include('"address":"jane@example.com"');
      expect(stdout).to.include('ok    database (sqlite)').and.include('users: 1\n');
      expect(stdout.split('restored\n')[1]).to.include('"address":"jane@example.com"');
    } finally {
      await rm(folder, { recursive: true });
      await docker('rm', '--force', name);
      await docker('volume', 'rm', '--force', name);
    }
  });
});
