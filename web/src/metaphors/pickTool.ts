/** The left button in the Metaphors workspace: a click picks a place of a skin, or puts a metaphor there at once. */
import type { Viewport } from '../stage/viewport';
import type { LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import type { NewAct } from './read';
import { metaphorStateOf } from './state.svelte';

export class PickTool implements LeftTool {
  readonly doing = 'pick';

  constructor(
    private readonly studio: Studio,
    private readonly viewport: Viewport,
    /** What is put there; none picks only. */
    private readonly act: NewAct | null = null,
  ) {}

  press(pointer: Pointer): void {
    const metaphors = metaphorStateOf(this.studio);
    const hit = this.viewport.hitAt(pointer.x, pointer.y);
    if (hit?.on !== 'skin') {
      metaphors.picked = null;
      return;
    }
    if (hit.body !== this.studio.body) this.studio.selectBody(hit.body);
    metaphors.picked = { body: hit.body, atRest: hit.atRest, corners: hit.corners, weights: hit.weights };
    this.viewport.draw();
    if (!this.act) return;
    this.studio.tool = 'pick';
    metaphors.put?.(this.act);
  }

  move(): void {}
  release(): void {}
  cancel(): void {}
}
