/** The left button of the select tool and while handles are shown: a click selects what it hits; with handles, a drag of the selected thing moves, turns or scales it freely. */
import type { Viewport } from '../../stage/viewport';
import type { LeftTool, Pointer } from '../../workspace/left';
import type { Studio } from '../../workspace/studio.svelte';
import type { Mode } from './act';
import { Gizmo } from './gizmo.svelte';

/** A hand that shakes less than this has clicked. */
const DRAG_PX = 4;

export class SelectTool implements LeftTool {
  readonly doing = 'place';
  private pressed: Pointer | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly viewport: Viewport,
    /** What a drag does; none where it does nothing. */
    private readonly mode: Mode | null,
  ) {}

  press(pointer: Pointer): void {
    const hit = this.viewport.thingAt(pointer.x, pointer.y);
    this.pressed = hit ? pointer : null;
    if (hit && hit !== this.studio.own(Gizmo).subject?.path) this.studio.select(hit);
    // With nothing to drag, a click beside everything is for the scene itself.
    if (!hit && !this.mode) this.studio.select(null);
  }

  move(pointer: Pointer): void {
    const { pressed, studio, viewport } = this;
    if (!pressed || !this.mode || studio.own(Gizmo).going || Math.hypot(pointer.x - pressed.x, pointer.y - pressed.y) < DRAG_PX) return;
    studio.own(Gizmo).begin(this.mode, { keep: 'free' }, { pane: viewport.pane, pointer: pressed });
  }

  release(): void {
    this.pressed = null;
    this.studio.own(Gizmo).confirm();
  }

  cancel(): void {
    this.pressed = null;
    this.studio.own(Gizmo).cancel();
  }
}
