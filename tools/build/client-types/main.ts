// `npm run client:types` writes sdk/client/openapi.ts; with `--print`, prints it instead.
import { writeFile } from 'node:fs/promises';
import { startFullService } from '../../docs/full-service.ts';
import { typesOf } from './types.ts';

const latchkey = await startFullService();
try {
  const response = await fetch(`${latchkey.url}/openapi.json`);
  const types = await typesOf(await response.text());
  if (process.argv.includes('--print')) process.stdout.write(types);
  else await writeFile(new URL('../../../sdk/client/openapi.ts', import.meta.url), types);
} finally {
  await latchkey.stop();
}
