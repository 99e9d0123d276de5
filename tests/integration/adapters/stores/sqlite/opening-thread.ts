import { parentPort } from 'node:worker_threads';
import { openForWriting } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';

// Opens each database whose path it receives, and reports the result.
parentPort?.on('message', (path: string) => {
  try {
    openForWriting(path, 2000).close();
    parentPort?.postMessage('opened');
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
});
