import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigurationError } from '../../../../bootstrap/configuration/index.ts';
import { withLines } from '../../../../bootstrap/configuration/problem-lines.ts';

const yaml = `server: &server
  "port": 8080

  # A comment.
  cors: { origins:
    [https://a.example] }
admin: *server
auth:
  keys:
    - application: app
      secret: \${SECRET}
    -
      application: "a:b"
`;

const lines = async (content: string, paths: readonly string[], file?: string): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-'));
  try {
    await writeFile(join(folder, 'latchkey.yaml'), content);
    const error = new ConfigurationError(
      'the configuration',
      paths.map((path) => ({ path, message: 'wrong' })),
    );
    const { message } = await withLines(error, file ?? join(folder, 'latchkey.yaml'));
    return message.replaceAll(`${folder}/`, '').split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the lines of problems', () => {
  it('are those of the keys and items in the file, which is named', async () => {
    const paths = [
      'server',
      'server.port',
      'server.cors.origins[0]',
      'auth.keys[0].secret',
      'auth.keys[1].application',
    ];
    expect(await lines(yaml, paths)).to.deep.equal([
      "latchkey.yaml can't be used: 5 problems",
      '  line 1: server: wrong',
      '  line 2: server.port: wrong',
      '  line 6: server.cors.origins[0]: wrong',
      '  line 11: auth.keys[0].secret: wrong',
      '  line 13: auth.keys[1].application: wrong',
    ]);
  });

  it('are those of the block for what is missing or stands in an alias, and there is none elsewhere', async () => {
    const paths = ['auth.type', 'auth.keys[1].secret', 'admin.port', 'database', 'database.type', '', 'line 3'];
    expect((await lines(yaml, paths)).slice(1)).to.deep.equal([
      '  line 8: auth.type: wrong',
      '  line 13: auth.keys[1].secret: wrong',
      '  line 7: admin.port: wrong',
      '  database: wrong',
      '  database.type: wrong',
      '  wrong',
      '  line 3: wrong',
    ]);
  });

  it('are left out if the file cannot be read again', async () => {
    for (const file of ['/nowhere/latchkey.yaml', '/dev/null'])
      expect(await lines('', ['server'], file)).to.deep.equal([
        `${file} can't be used: one problem`,
        '  server: wrong',
      ]);
  });
});
