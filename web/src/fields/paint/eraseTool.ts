/** Takes acts of painting back: whatever line or fill of the field lies under the ring. */
import type { LeftTool, Pointer } from '../../workspace/left';
import { actAt, actsOf, removeAct } from '../paints';
import { fieldsOf } from '../state.svelte';
import type { Brush } from './brush';

export class EraseTool implements LeftTool {
  readonly doing = 'paint';

  constructor(private readonly brush: Brush) {}

  press(pointer: Pointer): void {
    const { canvas, session, studio } = this.brush;
    const hit = this.brush.hit(pointer);
    if (!canvas || !hit) return;
    const { field } = fieldsOf(studio);
    const found = actAt(actsOf(canvas.json, field), hit.atRest, Math.max(this.brush.radiusAt(hit.at), 1.5 * this.brush.edgeM()));
    if (found === null) return;
    session.edit(removeAct(canvas, field, found, fieldsOf(studio).longestAxis(studio.body)));
    fieldsOf(studio).chosen = null;
  }

  move(pointer: Pointer): void {
    this.brush.hover(pointer);
  }

  release(): void {}
  cancel(): void {}
  hover: NonNullable<LeftTool['hover']> = (pointer) => this.brush.hover(pointer);
}
