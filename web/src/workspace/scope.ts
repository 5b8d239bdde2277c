/** What every editor of the inspector is given. */
import type { Session } from '../client/session.svelte';
import type { Json } from '../document/generated/protocol';
import type { Schema } from '../document/schema';
import type { Studio } from './studio.svelte';

export interface Scope {
  session: Session;
  studio: Studio;
  schema: Schema;
  scene: Json;
}
