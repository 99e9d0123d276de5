import { auth0 } from './auth0.ts';
import { documents } from './documents.ts';
import { firebase } from './firebase.ts';
import type { ImportFormat } from './import-format.ts';
import { keycloak } from './keycloak.ts';
import { kratos } from './kratos.ts';
import { supabase } from './supabase.ts';

/** The systems that `import --from` can name. */
export const importFormats: Readonly<Record<string, ImportFormat>> = {
  firebase,
  keycloak,
  supabase,
  auth0,
  kratos,
  documents,
};
