import type { AdministrationMemory } from '../../adapters/http/admin/administration/administration-memory.ts';

export type OpenMemory = () => Promise<AdministrationMemory>;

/** Opens the memory of the administration of this process once, when it is first needed. */
export const memoryOpener = (): OpenMemory => {
  let memory: Promise<AdministrationMemory> | undefined;
  return () => {
    memory ??= import('../../adapters/http/admin/administration/administration-memory.ts').then(
      (loaded) => new loaded.AdministrationMemory(),
    );
    return memory;
  };
};
