/** How metaphors are shown and worked on in this page: no part of the scene, lost on reload. */
import type { Vec3 } from '../document/vector';
import type { Studio } from '../workspace/studio.svelte';
import type { NewAct } from './read';

/** A place of a skin, to put a metaphor on. */
export interface Picked {
  body: number;
  atRest: Vec3;
  corners: [number, number, number];
  weights: Vec3;
}

export class MetaphorState {
  picked = $state.raw<Picked | null>(null);
  /** The chosen region of the selected metaphor, by its place in the list of parts. */
  region = $state(0);
  /** The metaphor whose name is being typed in the list. */
  naming = $state<string | null>(null);
  /** The handle in hand, and what it is at, in words. */
  dragging = $state.raw<{ handle: string; words: string } | null>(null);
  /** Puts a metaphor on the picked place; told by who knows the materials. */
  put: ((act: NewAct) => void) | null = null;
  /** Ghosts of what comes next. */
  ghosts = $state(false);
  ghostCount = $state(6);
  ghostEvery = $state(8);
}

export const metaphorStateOf = (studio: Studio): MetaphorState => studio.own(MetaphorState);
