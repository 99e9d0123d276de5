import { spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { administrator } from '../process/openapi/configurations.ts';
import type { DescribedService } from '../process/openapi/described-service.ts';

export const example = fileURLToPath(new URL('../../examples/generated-clients/', import.meta.url));
const readme = await readFile(join(example, 'README.md'), 'utf8');

/** The commands of the example for a generator: they install it, generate a client, and run a program. */
export const commandsFor = (generator: string): readonly string[] => {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${generator}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
};

const words = (operation: string): string => operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What generators write, how that is compiled without a program, and what it contains for an operation. */
export const generators = {
  Java: { folder: 'java', written: 'client', compile: '', codeOf: (operation: string) => ` ${operation}WithHttpInfo(` },
  Go: {
    folder: 'go',
    written: 'latchkey',
    compile: 'go build ./latchkey',
    codeOf: (operation: string) => `WithResponses) ${operation[0]?.toUpperCase()}${operation.slice(1)}With`,
  },
  Python: {
    folder: 'python',
    written: 'client',
    compile: `venv/bin/python -c "from importlib import import_module as load; from pkgutil import walk_packages
for module in walk_packages(['client'], 'client.'): load(module.name)"`,
    codeOf: (operation: string) => `/${words(operation)}.py`,
  },
  'openapi-typescript': {
    folder: 'openapi-typescript',
    written: 'openapi.ts',
    compile: 'node_modules/.bin/tsc --noEmit --strict --skipLibCheck --lib es2022 --typeRoots none openapi.ts',
    codeOf: (operation: string) => `    ${operation}: {`,
  },
  'hey-api': {
    folder: 'hey-api',
    written: 'client',
    compile:
      'node_modules/.bin/tsc --noEmit --strict --skipLibCheck --typeRoots none --target es2022 --module nodenext --allowImportingTsExtensions client/index.ts',
    codeOf: (operation: string) => `export const ${operation} = `,
  },
} as const;

/** The paths and the content of a file, or of all files in a folder. */
export const textIn = async (path: string): Promise<string> => {
  if ((await stat(path)).isFile()) return readFile(path, 'utf8');
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'latin1')}`))).join('\n');
};

/** The token of the link to `path` in the newest mail to an address, once there is one. */
const tokenIn = async (folder: string, path: string, address: string): Promise<string> => {
  const link = new RegExp(`${path}\\?\\S*?token=([\\w-]+)`);
  for (;;) {
    const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.eml'));
    const mails = await Promise.all(files.map(async (file) => readMail(await readFile(join(folder, file)))));
    const token = mails.flatMap(({ to, text }) => (to === address ? (link.exec(text)?.[1] ?? []) : [])).at(-1);
    if (token !== undefined) return token;
    await sleep(50);
  }
};

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands in a folder against a service, and answers when they ask for the token of a mail. */
export const shell = (commands: string, cwd: string, timeout: number, service?: DescribedService): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', ['-ec', commands], {
      cwd,
      timeout,
      env: {
        ...process.env,
        LATCHKEY_URL: service?.url,
        LATCHKEY_KEY: 'dev:development-only',
        LATCHKEY_ADMIN_URL: service?.serving.adminUrl,
        LATCHKEY_ADMIN_KEY: `${administrator.application}:${administrator.secret}`,
        // Halves the time of programs that run for a few seconds.
        JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1',
      },
    });
    let [stdout, stderr, unanswered] = ['', '', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      unanswered += text;
      const [, path, address] = /Token of the link (\S+) in the mail to (\S+): $/.exec(unanswered) ?? [];
      if (service === undefined || path === undefined || address === undefined) return;
      unanswered = '';
      const outbox = join(service.installation.folder, 'outbox');
      tokenIn(outbox, path, address).then((token) => child.stdin.write(`${token}\n`), reject);
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
