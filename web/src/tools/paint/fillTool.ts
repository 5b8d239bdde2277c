/** Fills: one face, or the part of the surface that no crease bounds. Faces that are dragged over are one step together. */
import { type PaintJson, addActs, rounded, whyNot } from '../../fields/paints';
import type { Gesture } from '../../client/gesture';
import type { Held, LeftTool, Pointer } from '../left';
import type { Brush } from './brush';

export class FillTool implements LeftTool {
  readonly doing = 'paint';
  private gesture: Gesture | null = null;
  private acts: PaintJson[] = [];

  constructor(
    private readonly brush: Brush,
    private readonly kind: 'face' | 'flat',
  ) {}

  press(pointer: Pointer, held: Held): void {
    if (this.brush.chooseOther(pointer)) return;
    this.fill(pointer, held);
  }

  move(pointer: Pointer, held: Held): void {
    this.brush.hover(pointer);
    if (this.kind === 'face' && this.gesture) this.fill(pointer, held);
  }

  release(): void {
    this.gesture?.commit();
    this.end();
  }

  cancel(): void {
    this.gesture?.cancel();
    this.end();
  }

  hover: NonNullable<LeftTool['hover']> = (pointer) => this.brush.hover(pointer);

  private fill(pointer: Pointer, held: Held): void {
    const { canvas, studio, session } = this.brush;
    const { field } = studio.fields;
    const hit = this.brush.hit(pointer);
    if (!canvas || !hit || hit.on !== 'skin' || field === 'directions' || whyNot(canvas, field)) return;
    const at = rounded(hit.atRest);
    // A face is not painted twice in one drag: its size is about that of the brush's own reach.
    const near = this.acts.some((act) => 'at' in act && Math.hypot(...act.at.map((c, i) => c - at[i]!)) < 0.6 * this.brush.edgeM());
    if (near) return;
    const angle = this.kind === 'flat' ? { angle: studio.fields.flatDeg } : {};
    this.acts.push({ fill: this.kind, at, ...angle, value: this.brush.valueWith(held) });
    this.gesture ??= session.gesture(`paint ${this.kind} fill`);
    const commands = addActs(canvas, field, this.acts);
    this.gesture.preview(commands.length === 1 ? commands[0]! : { do: 'batch', commands });
    studio.fields.show(field);
  }

  private end(): void {
    this.gesture = null;
    this.acts = [];
  }
}
