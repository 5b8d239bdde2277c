/** Asks the server for ghosts while they are to be seen. */
import type { Session } from '../client/session.svelte';
import type { Studio } from '../workspace/studio.svelte';
import type { Viewport } from '../stage/viewport';

export function watchGhosts(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  let asked = false;
  $effect(() => {
    const { ghosts, ghostCount, ghostEvery } = studio.metaphors;
    if (session.link !== 'live' || (!ghosts && !asked)) return;
    asked = ghosts;
    session.send({ do: 'ghosts', count: ghosts ? ghostCount : 0, every: ghostEvery });
  });
  // While time runs there are none.
  const areWanted = $derived(studio.metaphors.ghosts && !(session.transport?.playing ?? false));
  $effect(() => viewport()?.wantNext(areWanted));
}
