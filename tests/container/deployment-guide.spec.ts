import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../benchmarks/free-port.ts';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { docker, image, needsImage } from './image.ts';

const blocks = fencedBlocksOf('deployment.md').filter(({ language }) => language === 'sh');
const withText = (text: string): string => blocks.find((block) => block.text.includes(text))?.text ?? '';

describe('the container of docs/deployment.md', function () {
  this.timeout(60_000);
  needsImage();

  it('is started, called and checked by the commands as they are written', async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const name = `latchkey-deployment-${port}`;
    const commands = `${withText('docker build -t latchkey .\n')}${withText('docker exec latchkey')}`
      .replace('docker build -t latchkey .\n', '')
      .replace('--name latchkey ', `--name ${name} `)
      .replace('--volume latchkey:', `--volume ${name}:`)
      .replace('LATCHKEY_WEB_APP_SECRET latchkey\n', `LATCHKEY_WEB_APP_SECRET ${image}\n`)
      .replaceAll('docker exec latchkey', `docker exec ${name}`)
      .replaceAll(':8080:', `:${port}:`)
      .replaceAll(':8081:', `:${adminPort}:`)
      .replaceAll('localhost:8080', `localhost:${port}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${adminPort}`);
    try {
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands]);
      expect(stdout).to.include('"ready": true').and.include('"address":"jane@example.com"');
      expect(stdout).to.include('ok    database (sqlite)');
    } finally {
      await docker('rm', '--force', name);
      await docker('volume', 'rm', '--force', name);
    }
  });
});
