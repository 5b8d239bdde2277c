/** Fills: one face, or the part of the surface that no crease bounds. Faces that are dragged over are one step together. */
import type { SceneCommand } from '../../document/generated/protocol';
import { type FieldName, type PaintJson, addAct, rounded, whyNot } from '../../fields/paints';
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
    const { muscle, studio, session } = this.brush;
    const { field } = studio.fields;
    const hit = this.brush.hit(pointer);
    if (!muscle || !hit || hit.on !== 'skin' || field === 'directions' || whyNot(muscle.json, field)) return;
    const at = rounded(hit.atRest);
    // A face is not painted twice in one drag: its size is about that of the brush's own reach.
    const near = this.acts.some((act) => 'at' in act && Math.hypot(...act.at.map((c, i) => c - at[i]!)) < 0.6 * this.brush.edgeM());
    if (near) return;
    const angle = this.kind === 'flat' ? { angle: studio.fields.flatDeg } : {};
    this.acts.push({ fill: this.kind, at, ...angle, value: this.brush.valueWith(held) });
    this.gesture ??= session.gesture(`paint ${this.kind} fill`);
    this.gesture.preview(commandOf(this.acts, (act, first) => addAct(first ? muscle : painted(muscle), field, act)));
    studio.fields.show(field as FieldName);
  }

  private end(): void {
    this.gesture = null;
    this.acts = [];
  }
}

/** The first act may make the field that the others are added to. */
const painted = (muscle: NonNullable<Brush['muscle']>): NonNullable<Brush['muscle']> =>
  typeof muscle.json.amplitude === 'object' ? muscle : { ...muscle, json: { ...muscle.json, amplitude: { paint: [] } } };

function commandOf(acts: readonly PaintJson[], add: (act: PaintJson, first: boolean) => SceneCommand): SceneCommand {
  const commands = acts.map((act, i) => add(act, i === 0));
  return commands.length === 1 ? commands[0]! : { do: 'batch', commands };
}
