/** Fills: one face, or the part of the surface that no crease bounds. Faces that are dragged over are one step together. */
import type { Gesture } from '../../client/gesture';
import type { Vec3 } from '../../document/vector';
import type { Held, LeftTool, Pointer } from '../../workspace/left';
import { type PaintJson, addActs, rounded, whyNot } from '../paints';
import { fieldsOf } from '../state.svelte';
import type { Brush } from './brush';

/** A line of the scene that people may still read. */
const MOST_PLACES = 400;

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
    const { field } = fieldsOf(studio);
    const hit = this.brush.hit(pointer);
    if (!canvas || !hit || field === 'directions' || whyNot(canvas, field)) return;
    const at = rounded(hit.atRest);
    // A face is not painted twice in one drag: its size is about that of the brush's own reach.
    const near = this.acts.some((act) => ('at' in act ? [act.at] : act.stroke).some((there) => Math.hypot(...there.map((c, i) => c - at[i]!)) < 0.6 * this.brush.edgeM()));
    if (near) return;
    const angle = this.kind === 'flat' ? { angle: fieldsOf(studio).flatDeg } : {};
    const value = this.brush.valueWith(held);
    // Inside there are no faces: a face fill is a dab there, a flat fill all of the section.
    if (hit.on === 'section') this.acts.push({ stroke: this.kind === 'face' ? [at] : this.wholeSection(at), value });
    else this.acts.push({ fill: this.kind, at, ...angle, value });
    this.gesture ??= session.gesture(`paint ${this.kind} fill`);
    const commands = addActs(canvas, field, this.acts);
    this.gesture.preview(commands.length === 1 ? commands[0]! : { do: 'batch', commands });
    fieldsOf(studio).show(field);
  }

  /** Places all over the open section, row by row there and back, no closer than the flesh is fine. */
  private wholeSection(at: Vec3): Vec3[] {
    const { section } = this.brush.viewport.fields.section;
    if (!section) return [at];
    const places: Vec3[] = [];
    for (let i = 0; i < section.rest.length; i += 3) places.push([section.rest[i]!, section.rest[i + 1]!, section.rest[i + 2]!]);
    // Along the two longest sides of the section.
    const sides = [0, 1, 2].map((axis) => ({ axis, size: Math.max(...places.map((place) => place[axis]!)) - Math.min(...places.map((place) => place[axis]!)) }));
    const [long, short] = sides.sort((a, b) => b.size - a.size).map(({ axis }) => axis) as [number, number, number];
    const edge = Math.max(this.brush.edgeM(), Math.sqrt((sides[0]!.size * sides[1]!.size) / MOST_PLACES));
    const rows = new Map<number, Map<number, Vec3>>();
    for (const place of places) {
      const row = Math.round(place[short]! / edge);
      const cells = rows.get(row) ?? new Map<number, Vec3>();
      cells.set(Math.round(place[long]! / edge), place);
      rows.set(row, cells);
    }
    const sorted = [...rows].sort(([a], [b]) => a - b).map(([, cells]) => [...cells].sort(([a], [b]) => a - b).map(([, place]) => rounded(place)));
    return sorted.flatMap((row, i) => (i % 2 === 0 ? row : row.reverse()));
  }

  private end(): void {
    this.gesture = null;
    this.acts = [];
  }
}
