import { defineModule } from '../../adapters/kit/definition.ts';
import { block } from '../../adapters/kit/option-block.ts';
import { MemoryUserStore } from '../../adapters/stores/memory/index.ts';

/** A store of another package with the port that every store has, and no other one. */
export default defineModule({
  port: 'UserStore',
  portVersion: 3,
  type: 'users-only',
  configuration: block({}),
  open: async () => ({ users: new MemoryUserStore() }),
});
