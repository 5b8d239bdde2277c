/** How key shapes are shown and worked on in this page: no part of the scene, lost on reload. */
import type { ShownKey } from '../client/wire';
import type { Vec3 } from '../document/vector';
import type { Studio } from '../workspace/studio.svelte';
import type { Forgetful } from '../workspace/workspace';

export class KeysState implements Forgetful {
  /** Key shapes of the body that the page asked for, in the scene's order, as the server has them. */
  shown = $state.raw<readonly ShownKey[]>([]);
  /** Whether key shapes are seen at their frames' places. */
  onion = $state(true);
  /** How far around what is moved flesh follows, and how large the brush is: a share of the body's size. */
  reach = $state(0.35);
  /** How many frames before and after an edit of a take follow. */
  width = $state(12);
  /** Whether flesh follows as it would if it were pulled, or by its distance alone. */
  elastic = $state(true);
  /** The part that is worked on, by points of the flesh; none is the whole body. */
  part = $state.raw<ReadonlySet<number>>(new Set());
  /** A box being drawn, in pixels of the view. */
  box = $state.raw<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  /** The chosen point of the path, by its frame. */
  point = $state<number | null>(null);
  /** A path being drawn, in the world. */
  stroke = $state.raw<readonly Vec3[] | null>(null);
  /** What is in hand, in words, and where it is on screen. */
  held = $state.raw<{ words: string; x: number; y: number } | null>(null);

  /** One more that is shown; none takes all away. */
  take(key: ShownKey | null): void {
    // Where there are more or fewer than before, all of them are sent again.
    const others = key ? this.shown.filter(({ place, count }) => place !== key.place && count === key.count) : [];
    this.shown = key ? [...others, key].sort((a, b) => a.place - b.place) : [];
  }

  forget(): void {
    this.point = null;
    this.part = new Set();
  }
}

export const keysOf = (studio: Studio): KeysState => studio.own(KeysState);
