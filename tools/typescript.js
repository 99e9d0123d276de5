// Lets Node.js load the TypeScript sources, in worker threads too: `--import tsx` alone covers the main thread only.
import { register } from 'tsx/esm/api';

register();
