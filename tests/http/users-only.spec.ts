import { fileURLToPath } from 'node:url';
import { httpSuite } from '../../sdk/contract/http/suite.ts';

const module = fileURLToPath(new URL('./users-only-store.ts', import.meta.url));

httpSuite({
  name: 'a store without optional ports',
  lacks: ['names', 'listing', 'search', 'events', 'attempts'],
  open: async () => ({ yaml: { type: 'module', module }, dispose: async () => undefined }),
});
