// Lets Node.js load TypeScript, also in worker threads: `--import tsx` alone covers only the main thread.
import { register } from 'tsx/esm/api';

register();
