/** The left button while handles are shown: a click selects what it hits, a drag of the selected thing moves or turns it freely. */
import type { Studio } from '../../workspace/studio.svelte';
import type { Viewport } from '../../stage/viewport';
import type { LeftTool, Pointer } from '../left';
import type { Mode } from './act';

/** A hand that shakes less than this has clicked. */
const DRAG_PX = 4;

export class SelectTool implements LeftTool {
  readonly doing = 'place';
  private pressed: Pointer | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly viewport: Viewport,
    private readonly mode: Mode,
  ) {}

  press(pointer: Pointer): void {
    const hit = this.viewport.thingAt(pointer.x, pointer.y);
    this.pressed = hit ? pointer : null;
    if (hit && hit !== this.studio.gizmo.subject?.path) this.studio.select(hit);
  }

  move(pointer: Pointer): void {
    const { pressed, studio, viewport } = this;
    if (!pressed || studio.gizmo.going || Math.hypot(pointer.x - pressed.x, pointer.y - pressed.y) < DRAG_PX) return;
    studio.gizmo.begin(this.mode, { keep: 'free' }, { pane: viewport.pane, pointer: pressed });
  }

  release(): void {
    this.pressed = null;
    this.studio.gizmo.confirm();
  }

  cancel(): void {
    this.pressed = null;
    this.studio.gizmo.cancel();
  }
}
