/** Acts of painting as the scene keeps them (`sinew_scene::model::paint`), and the commands that add, change and remove them. */
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Vec3, dot, length, scale, sub } from '../document/vector';
import type { Muscle, MuscleJson } from './muscle';

export type PaintJson =
  | { fill: 'face' | 'flat'; at: Vec3; angle?: number; value: number }
  | { stroke: Vec3[]; value: number; to?: number };

/** What can be painted. Directions are strokes without a value. */
export type FieldName = 'layer' | 'directions' | 'amplitude' | 'phase';
export const FIELD_NAMES: readonly FieldName[] = ['layer', 'directions', 'amplitude', 'phase'];

export const FIELD_TITLES: Record<FieldName, string> = {
  layer: 'Layers', directions: 'Directions', amplitude: 'Amplitude', phase: 'Phase shift',
};

/** Ends of a field's values. */
export const FIELD_RANGES: Record<Exclude<FieldName, 'directions'>, [number, number]> = {
  layer: [0, 1], amplitude: [-1, 1], phase: [0, 1],
};

/** One row of the list of acts. */
export interface Act {
  kind: 'face' | 'flat' | 'stroke' | 'direction';
  name: string;
  /** None for strokes of directions. */
  value: number | null;
  /** Places in the rest shape. */
  points: Vec3[];
}

/** Where a field's acts are listed, below the director. */
const LIST: Record<FieldName, string> = { layer: 'layer', directions: 'fibres.strokes', amplitude: 'amplitude.paint', phase: 'phase.paint' };

export const listPath = (muscle: Muscle, field: FieldName): string => `${muscle.path}.${LIST[field]}`;

export function actsOf(muscle: MuscleJson, field: FieldName): Act[] {
  if (field === 'directions') {
    return (muscle.fibres?.strokes ?? []).map((points): Act => ({ kind: 'direction', name: 'Direction stroke', value: null, points: points as Vec3[] }));
  }
  return paintOf(muscle, field).map((paint): Act => {
    if ('fill' in paint) {
      return { kind: paint.fill, name: paint.fill === 'face' ? 'Face fill' : 'Flat fill', value: paint.value, points: [paint.at] };
    }
    return { kind: 'stroke', name: 'Stroke', value: paint.value, points: paint.stroke };
  });
}

function paintOf(muscle: MuscleJson, field: Exclude<FieldName, 'directions'>): PaintJson[] {
  if (field === 'layer') return muscle.layer ?? [];
  const value = muscle[field];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return value.paint ?? [];
}

/** What the field is where nothing is painted, in a word or two. */
export function formulaOf(muscle: MuscleJson, field: FieldName): string | null {
  const value = field === 'directions' ? muscle.fibres : field === 'layer' ? null : muscle[field];
  if (typeof value === 'number') return field === 'amplitude' ? `${value} everywhere` : null;
  if (Array.isArray(value)) return 'keyed';
  if (typeof value !== 'object' || value === null) return null;
  const formula = ['along', 'around', 'distance', 'path', 'spiral', 'rings'].find((word) => word in value);
  if (formula) return typeof (value as Record<string, unknown>)[formula] === 'string' ? `${formula} ${(value as Record<string, string>)[formula]}` : formula;
  return 'keys' in value ? 'keyed' : null;
}

/** Why a field cannot be painted now; none where it can. */
export function whyNot(muscle: MuscleJson, field: FieldName): string | null {
  const keyed = field === 'amplitude' && formulaOf(muscle, 'amplitude') === 'keyed';
  return keyed ? 'The amplitude is keyed over time. Delete its keys to paint it.' : null;
}

/** Adds an act. An amplitude that was one number becomes a painted field. */
export function addAct(muscle: Muscle, field: FieldName, act: PaintJson | Vec3[]): SceneCommand {
  const value = act as unknown as Json;
  if (field === 'amplitude' && (typeof muscle.json.amplitude !== 'object' || muscle.json.amplitude === null)) {
    return { do: 'set', path: `${muscle.path}.amplitude`, value: { paint: [value] } };
  }
  return { do: 'add', to: listPath(muscle, field), value };
}

/**
 * Removes an act. The last one takes what it made with it: a field that is nothing but paint goes back to none,
 * fibres that are nothing but strokes run along an axis again.
 */
export function removeAct(muscle: Muscle, field: FieldName, index: number, axis: string): SceneCommand {
  const isLast = actsOf(muscle.json, field).length === 1;
  if (isLast && field === 'directions') {
    return formulaOf(muscle.json, 'directions')
      ? { do: 'unset', path: `${muscle.path}.fibres.strokes` }
      : { do: 'set', path: `${muscle.path}.fibres`, value: { along: axis } };
  }
  if (isLast && field !== 'directions') {
    if (field !== 'layer' && formulaOf(muscle.json, field)) return { do: 'unset', path: `${muscle.path}.${field}.paint` };
    return { do: 'unset', path: `${muscle.path}.${field}` };
  }
  return { do: 'remove', path: `${listPath(muscle, field)}[${index}]` };
}

export const setActValue = (muscle: Muscle, field: FieldName, index: number, value: number): SceneCommand => ({
  do: 'set', path: `${listPath(muscle, field)}[${index}].value`, value,
});

/** Moves an act; later ones cover earlier ones. */
export function moveAct(muscle: Muscle, field: FieldName, from: number, to: number): SceneCommand {
  const list = listPath(muscle, field);
  const value = (field === 'directions' ? muscle.json.fibres?.strokes?.[from] : paintOf(muscle.json, field)[from]) as unknown as Json;
  return {
    do: 'batch', label: 'reorder paint',
    commands: [{ do: 'remove', path: `${list}[${from}]` }, { do: 'add', to: list, value, index: to }],
  };
}

/** Metres from a place to an act: to its line, or to where it was filled. */
export function distanceTo(act: Act, place: Vec3): number {
  const { points } = act;
  if (points.length === 1) return length(sub(points[0]!, place));
  let least = Infinity;
  for (let i = 1; i < points.length; i++) least = Math.min(least, toSegment(points[i - 1]!, points[i]!, place));
  return least;
}

function toSegment(a: Vec3, b: Vec3, place: Vec3): number {
  const along = sub(b, a);
  const share = Math.min(1, Math.max(0, dot(sub(place, a), along) / (dot(along, along) || 1)));
  return length(sub(place, [a[0] + along[0] * share, a[1] + along[1] * share, a[2] + along[2] * share]));
}

/**
 * The act that erasing at a place takes: the last line within reach, else the last fill whose place is nearest
 * (a flat fill covers more than its place).
 */
export function actAt(acts: readonly Act[], place: Vec3, reachM: number): number | null {
  for (let i = acts.length - 1; i >= 0; i--) {
    if (acts[i]!.points.length > 1 && distanceTo(acts[i]!, place) <= reachM) return i;
  }
  let best: { index: number; away: number } | null = null;
  acts.forEach((act, index) => {
    if (act.points.length > 1) return;
    const away = distanceTo(act, place);
    if ((act.kind === 'flat' || away <= 2 * reachM) && (!best || away <= best.away)) best = { index, away };
  });
  return (best as { index: number } | null)?.index ?? null;
}

/** Points of a line at about `stepM`, so that a slow hand does not write a thousand of them; both ends stay. */
export function thinned(points: readonly Vec3[], stepM: number): Vec3[] {
  const kept: Vec3[] = [];
  points.forEach((point, i) => {
    const last = kept.at(-1);
    if (!last || length(sub(point, last)) >= stepM || (i === points.length - 1 && length(sub(point, last)) > 0)) kept.push(point);
  });
  return kept.map((point) => rounded(point));
}

/** A tenth of a millimetre is finer than flesh. */
export const rounded = (point: Vec3): Vec3 => scale(point, 1e4).map((c) => Math.round(c) / 1e4) as Vec3;
