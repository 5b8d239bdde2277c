/** Asks the server for the key shapes of the selected body while they are to be seen, and shows those that come. */
import { untrack } from 'svelte';
import type { Session } from '../client/session.svelte';
import type { ShownKey } from '../client/wire';
import type { Viewport } from '../stage/viewport';
import type { Studio } from '../workspace/studio.svelte';
import type { AtHand } from '../workspace/workspace';
import { KeyShow } from './keyShow';
import { keysOf } from './state.svelte';

export function watchKeys(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  let asked = false;
  const body = $derived(studio.workspace === 'keys' && session.scene ? studio.body : null);
  $effect(() => {
    if (session.link !== 'live' || (body === null && !asked)) return;
    asked = body !== null;
    session.send({ do: 'keys', body });
    if (body === null) untrack(() => take(studio, viewport(), null));
  });
}

export function listenForKeys({ session, studio, viewport }: AtHand): () => void {
  const stops = [session.listen('key', ({ key }) => take(studio, viewport, key)), session.onOpen(() => take(studio, viewport, null))];
  return () => stops.forEach((stop) => stop());
}

function take(studio: Studio, viewport: Viewport | null, key: ShownKey | null): void {
  keysOf(studio).take(key);
  viewport?.drawing(KeyShow).show(keysOf(studio).shown);
}
