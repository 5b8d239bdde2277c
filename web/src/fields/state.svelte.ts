/** How fields are shown and painted on this page: no part of the scene, lost on reload. */
import type { LookWord } from '../client/wire';
import type { Vec3 } from '../document/vector';
import type { DirectionLook } from '../stage/fieldShow';
import type { PaneLook, ViewKind } from '../stage/pane';
import type { Shade } from '../stage/softBody';
import type { Viewport } from '../stage/viewport';
import { type CutPlane, facingCut } from './cutPlane';
import { FIELD_RANGES, type FieldName, isFactor } from './paints';

export type PaintTool = 'paint-face' | 'paint-flat' | 'paint-stroke' | 'paint-erase';
export const PAINT_TOOLS: readonly string[] = ['paint-face', 'paint-flat', 'paint-stroke', 'paint-erase'];
/** Tools that show a ring on the surface. */
export const BRUSH_TOOLS: readonly string[] = [...PAINT_TOOLS, 'direction', 'touch'];

/** Looks that a body without a muscle has nothing of. */
const MUSCLE_LOOKS: ReadonlySet<LookWord> = new Set<LookWord>(['contraction', 'excitation', 'layer', 'amplitude', 'phase']);

/** A ring on the surface under the pointer. */
export interface Ring {
  at: Vec3;
  normal: Vec3;
  radiusM: number;
  /** How far beyond it paint fades into what was there; none for tools that have no edge. */
  softM: number;
  onBody: boolean;
  x: number;
  y: number;
}

export class FieldsState {
  /** What paint goes to. */
  field = $state<FieldName>('layer');
  /** What each view shows. `own` once it was chosen there; until then it is as in the first one. */
  private shown = $state<(PaneLook & { own: boolean })[]>(Array.from({ length: 4 }, () => ({ shade: 'skin', look: null, own: false })));
  /** The view that was used last: what the bar above the stage is about. */
  view = $state(0);
  directions = $state<DirectionLook | null>(null);
  showGround = $state(true);
  showPaint = $state(true);
  viewKind = $state<ViewKind>('perspective');
  sizePx = $state(26);
  flatDeg = $state(30);
  private values = $state<Record<FieldName, number>>({ layer: 0, amplitude: 1, phase: 0, directions: 0, stiffness: 10 });
  /** The chosen act of the list. */
  chosen = $state<number | null>(null);
  /** The layer that direction strokes are drawn on: none is the surface as it is seen. */
  onLayer = $state<number | null>(null);
  cut = $state.raw<CutPlane | null>(null);
  /** A line drawn over the body, cut along; in pixels while it is drawn. */
  cutLine = $state.raw<{ x: number; y: number }[] | null>(null);
  /** The stroke under way, in the world. */
  draft = $state.raw<Vec3[] | null>(null);
  ring = $state.raw<Ring | null>(null);
  /** Told by the stage. */
  viewport: Viewport | null = null;

  /** What a view shows; colours only where its shade has them. */
  showsIn(view: number): PaneLook {
    const shown = this.shown[view]?.own ? this.shown[view] : this.shown[0]!;
    return { shade: shown.shade, look: shown.shade === 'skin' ? null : shown.look };
  }

  /** What the skin is coloured by. */
  get look(): LookWord | null {
    return this.now.look;
  }

  set look(look: LookWord | null) {
    this.put({ ...this.now, look });
  }

  get shade(): Shade {
    return this.now.shade;
  }

  set shade(shade: Shade) {
    this.put({ ...this.now, shade });
  }

  private get now(): PaneLook {
    return this.shown[this.view]?.own ? this.shown[this.view]! : this.shown[0]!;
  }

  private put({ shade, look }: PaneLook): void {
    this.shown[this.view] = { shade, look, own: true };
  }

  /** What only muscles have is seen no more: the bodies are, as they look. */
  leaveMuscles(): void {
    this.shown = this.shown.map((view) => (view.shade === 'field' && view.look !== null && MUSCLE_LOOKS.has(view.look) ? { ...view, shade: 'skin' } : view));
    this.directions = null;
  }

  get value(): number {
    return this.values[this.field];
  }

  set value(value: number) {
    if (this.field === 'directions') return;
    const [low, high] = FIELD_RANGES[this.field];
    const within = Math.min(high, Math.max(low, value));
    this.values[this.field] = isFactor(this.field) ? Number(within.toPrecision(3)) : Math.round(within * 1000) / 1000;
  }

  /** The value with the brush inverted. */
  get opposite(): number {
    if (isFactor(this.field)) return Number((1 / this.value).toPrecision(3));
    return this.field === 'amplitude' ? -this.value : 1 - this.value;
  }

  /** Chooses what is painted and shows it. */
  choose(field: FieldName): void {
    this.field = field;
    this.chosen = null;
    this.show(field);
  }

  show(field: FieldName): void {
    if (field === 'directions') this.directions ??= 'primary';
    else this.look = field;
    this.shade = 'field';
  }

  shows(field: FieldName): boolean {
    return field === 'directions' ? this.directions !== null : this.shade !== 'skin' && this.look === field;
  }

  hide(field: FieldName): void {
    if (field === 'directions') this.directions = null;
    else if (this.look === field) this.shade = 'skin';
  }

  /** Opens the body with a plane that faces the camera, or closes it. */
  toggleCut(body: number): void {
    if (this.cut) {
      this.cut = null;
      return;
    }
    const { viewport } = this;
    const shown = viewport?.body(body);
    if (viewport && shown) this.cut = facingCut(body, shown.box(), viewport.orbit.forward);
  }

  /** The axis along which a body is longest at rest, for fibres to start from. */
  longestAxis(body: number): 'x' | 'y' | 'z' {
    const rest = this.viewport?.body(body)?.model.rest;
    if (!rest) return 'y';
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    rest.forEach((c, i) => {
      low[i % 3] = Math.min(low[i % 3]!, c);
      high[i % 3] = Math.max(high[i % 3]!, c);
    });
    const sizes = high.map((top, i) => top - low[i]!);
    return (['x', 'y', 'z'] as const)[sizes.indexOf(Math.max(...sizes))]!;
  }
}
