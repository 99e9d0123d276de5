import type { StorePorts } from '../../../application/ports/user-store.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block } from '../../kit/option-block.ts';
import { MemoryUserStore } from './memory-user-store.ts';

/** Users in the memory of the process, for tests of other systems and for a first look at the service. */
export const memory = defineAdapter({
  type: 'memory',
  configuration: block({}),
  open: async (): Promise<StorePorts> => new MemoryUserStore().ports,
});
