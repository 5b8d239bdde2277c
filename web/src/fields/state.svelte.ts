/** How fields are shown and painted on this page: no part of the scene, lost on reload. */
import type { Session } from '../client/session.svelte';
import type { LookWord } from '../client/wire';
import type { Vec3 } from '../document/vector';
import type { Studio } from '../workspace/studio.svelte';
import { type CutPlane, facingCut } from './cutPlane';
import { FIELD_RANGES, type FieldName, isFactor } from './paints';

export type PaintTool = 'paint-face' | 'paint-flat' | 'paint-stroke' | 'paint-erase';
export const PAINT_TOOLS: readonly string[] = ['paint-face', 'paint-flat', 'paint-stroke', 'paint-erase'];
/** Tools that show the brush's ring on the surface. */
export const RING_TOOLS: readonly string[] = [...PAINT_TOOLS, 'direction'];

/** Looks that a body without a muscle has nothing of. */
export const MUSCLE_LOOKS: ReadonlySet<LookWord> = new Set<LookWord>(['contraction', 'excitation', 'layer', 'amplitude', 'phase']);

export class FieldsState {
  /** What paint goes to. */
  field = $state<FieldName>('layer');
  showPaint = $state(true);
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

  constructor(
    _: Session,
    private readonly studio: Studio,
  ) {}

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
    const { looks } = this.studio;
    if (field === 'directions') looks.directions ??= 'primary';
    else looks.look = field;
    looks.shade = 'field';
  }

  shows(field: FieldName): boolean {
    const { looks } = this.studio;
    return field === 'directions' ? looks.directions !== null : looks.shade !== 'skin' && looks.look === field;
  }

  hide(field: FieldName): void {
    const { looks } = this.studio;
    if (field === 'directions') looks.directions = null;
    else if (looks.look === field) looks.shade = 'skin';
  }

  /** Opens the body with a plane that faces the camera, or closes it. */
  toggleCut(body: number): void {
    if (this.cut) {
      this.cut = null;
      return;
    }
    const { viewport } = this.studio;
    const shown = viewport?.body(body);
    if (viewport && shown) this.cut = facingCut(body, shown.box(), viewport.orbit.forward);
  }

  /** The axis along which a body is longest at rest, for fibres to start from. */
  longestAxis(body: number): 'x' | 'y' | 'z' {
    const rest = this.studio.viewport?.body(body)?.model.rest;
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

export const fieldsOf = (studio: Studio): FieldsState => studio.own(FieldsState);
