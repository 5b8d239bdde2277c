/** Asks the server for ghosts while they are to be seen, and shows those that come. */
import type { Session } from '../client/session.svelte';
import type { Viewport } from '../stage/viewport';
import type { Studio } from '../workspace/studio.svelte';
import type { AtHand } from '../workspace/workspace';
import { NextGhosts } from './nextGhosts';
import { metaphorStateOf } from './state.svelte';

export function watchGhosts(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  let asked = false;
  const state = metaphorStateOf(studio);
  $effect(() => {
    const { ghosts, ghostCount, ghostEvery } = state;
    if (session.link !== 'live' || (!ghosts && !asked)) return;
    asked = ghosts;
    session.send({ do: 'ghosts', count: ghosts ? ghostCount : 0, every: ghostEvery });
  });
  // While time runs there are none.
  const areWanted = $derived(state.ghosts && !(session.transport?.playing ?? false));
  $effect(() => viewport()?.drawing(NextGhosts).want(areWanted));
}

export const listenForGhosts = ({ session, viewport }: AtHand): (() => void) =>
  session.listen('ghost', ({ frame, isOnItsWay }) => viewport.drawing(NextGhosts).show(frame, isOnItsWay));
