import { serviceSuite } from '../../sdk/contract/http/suite.ts';
import { inContainers } from './contained-service.ts';

// In the folder of the harness, where each container finds the users of the others.
const yaml = { type: 'sqlite', path: 'users.db' };

serviceSuite({ name: 'SQLite in containers', open: async () => ({ yaml, dispose: async () => {} }) }, inContainers);
