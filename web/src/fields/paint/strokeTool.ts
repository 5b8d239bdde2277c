/**
 * A line drawn on the skin, on an open section or on a layer: of a value, or of the fibres' direction. A broad brush goes
 * over the surface in lanes beside the hand's, there and back, so that it stays one line of the scene.
 */
import type { Vec3 } from '../../document/vector';
import { length, sub } from '../../document/vector';
import type { StageHit } from '../../stage/viewport';
import type { Held, LeftTool, Pointer } from '../../workspace/left';
import { FIELD_RANGES, FIELD_TITLES, type PaintJson, type ScalarName, addAct, addActs, isFactor, thinned, whyNot } from '../paints';
import { fieldsOf } from '../state.svelte';
import type { Brush } from './brush';
import { smoothed } from './smooth';

export class StrokeTool implements LeftTool {
  readonly doing = 'paint';
  private hits: StageHit[] = [];
  private pixels: Pointer[] = [];
  private held: Held = { ctrl: false, shift: false };

  constructor(
    private readonly brush: Brush,
    private readonly what: 'value' | 'direction',
  ) {}

  press(pointer: Pointer, held: Held): void {
    this.end();
    if (this.brush.chooseOther(pointer)) return;
    this.held = held;
    this.reach(pointer);
  }

  move(pointer: Pointer): void {
    this.brush.hover(pointer);
    const last = this.pixels.at(-1);
    if (!last) return;
    // A fast hand leaves gaps that a line on a curved body would cut through.
    const away = Math.hypot(pointer.x - last.x, pointer.y - last.y);
    const steps = Math.ceil(away / 4);
    for (let i = 1; i <= steps; i++) this.reach({ x: last.x + ((pointer.x - last.x) * i) / steps, y: last.y + ((pointer.y - last.y) * i) / steps });
  }

  release(): void {
    const { canvas, session, studio } = this.brush;
    const field = this.what === 'direction' ? 'directions' : fieldsOf(studio).field;
    const line = thinned(this.hits.map((hit) => hit.atRest), 0.35 * this.brush.edgeM());
    const longEnough = this.what === 'value' ? line.length >= 1 : line.length >= 2;
    if (canvas && longEnough && !whyNot(canvas, field)) {
      const smooth = field !== 'directions' && this.held.shift ? this.smooth(line, field) : null;
      if (field === 'directions') session.edit(addAct(canvas, field, line));
      else if (smooth) {
        if (smooth.length > 0) session.edit({ do: 'batch', label: `smooth ${FIELD_TITLES[field].toLowerCase()}`, commands: addActs(canvas, field, smooth) });
      } else session.edit(addAct(canvas, field, { stroke: this.broad(line), value: this.brush.valueWith(this.held) }));
      fieldsOf(studio).show(field);
    }
    this.end();
  }

  cancel(): void {
    this.end();
  }

  hover: NonNullable<LeftTool['hover']> = (pointer) => this.brush.hover(pointer);

  private reach(pointer: Pointer): void {
    const hit = this.brush.hit(pointer);
    if (!hit) return;
    // From the skin over the rim onto the section, or over a silhouette, the line would run through the body.
    const last = this.hits.at(-1);
    if (last && (last.on !== hit.on || length(sub(last.at, hit.at)) > 12 * this.brush.radiusAt(hit.at) / Math.max(1, this.brush.studio.brush.sizePx) + 6 * this.brush.edgeM())) return;
    this.hits.push(hit);
    this.pixels.push(pointer);
    fieldsOf(this.brush.studio).draft = this.hits.map(({ at }) => at);
  }

  /** Strokes of what the field is already, under a ring that goes along the line; none where nobody knows it. */
  private smooth(line: Vec3[], field: ScalarName): PaintJson[] | null {
    const { viewport, studio } = this.brush;
    const body = viewport.body(studio.body);
    const known = viewport.fields.valuesOf(studio.body, field);
    const middle = this.hits[Math.floor(this.hits.length / 2)];
    if (!body || !known || !middle) return null;
    const radius = Math.max(this.brush.radiusAt(middle.at), 1.5 * this.brush.edgeM());
    const [low, high] = FIELD_RANGES[field];
    return smoothed(line, radius, { rest: body.model.rest, values: known.values }, { size: high - low, isFactor: isFactor(field) });
  }

  /** The line with lanes to both sides where the brush is broader than the flesh is fine. */
  private broad(line: Vec3[]): Vec3[] {
    const middle = this.hits[Math.floor(this.hits.length / 2)];
    if (!middle || this.pixels.length < 2) return line;
    const edge = this.brush.edgeM();
    const radius = this.brush.radiusAt(middle.at);
    const lanes = Math.min(3, Math.floor(radius / edge));
    const { sizePx } = this.brush.studio.brush;
    let whole = line;
    for (let lane = 1; lane <= lanes; lane++) {
      for (const side of [1, -1]) {
        const beside = this.lane((side * sizePx * lane) / lanes);
        const points = thinned(beside, 0.5 * edge);
        whole = [...whole, ...(length(sub(points[0] ?? [0, 0, 0], whole.at(-1)!)) < length(sub(points.at(-1) ?? [0, 0, 0], whole.at(-1)!)) ? points : points.reverse())];
      }
    }
    return whole;
  }

  /** Places of the surface this many pixels to the left of the hand's way. */
  private lane(aside: number): Vec3[] {
    return this.pixels.flatMap(({ x, y }, i) => {
      const [before, after] = [this.pixels[Math.max(0, i - 1)]!, this.pixels[Math.min(this.pixels.length - 1, i + 1)]!];
      const [dx, dy] = [after.x - before.x, after.y - before.y];
      const size = Math.hypot(dx, dy) || 1;
      const hit = this.brush.hit({ x: x + (aside * dy) / size, y: y - (aside * dx) / size });
      const own = this.hits[i]!;
      const near = hit && hit.on === own.on && length(sub(hit.at, own.at)) < 3 * this.brush.radiusAt(own.at);
      return near ? [hit.atRest] : [];
    });
  }

  private end(): void {
    this.hits = [];
    this.pixels = [];
    fieldsOf(this.brush.studio).draft = null;
  }
}

