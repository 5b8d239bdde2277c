/** Asks the server for the key shapes of the selected body while they are to be seen. */
import type { Session } from '../client/session.svelte';
import type { Studio } from '../workspace/studio.svelte';

export function watchKeys(session: Session, studio: Studio): void {
  let asked = false;
  const body = $derived(studio.workspace === 'keys' && session.scene ? studio.body : null);
  $effect(() => {
    if (session.link !== 'live' || (body === null && !asked)) return;
    asked = body !== null;
    session.send({ do: 'keys', body });
    if (body === null) session.forgetKeys();
  });
}
