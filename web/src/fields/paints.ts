/** Acts of painting as the scene keeps them (`sinew_scene::model::paint`), and the commands that add, change and remove them. */
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Vec3, dot, length, scale, sub } from '../document/vector';
import type { Canvas } from './muscle';

export type PaintJson =
  | { fill: 'face' | 'flat'; at: Vec3; angle?: number; value: number }
  | { stroke: Vec3[]; value: number; to?: number };

/** What can be painted. Directions are strokes without a value. */
export type FieldName = 'layer' | 'directions' | 'amplitude' | 'phase' | 'stiffness';
export type ScalarName = Exclude<FieldName, 'directions'>;
/** What a muscle has, then what any body has. */
export const MUSCLE_FIELDS: readonly FieldName[] = ['layer', 'directions', 'amplitude', 'phase'];
export const BODY_FIELDS: readonly FieldName[] = ['stiffness'];

export const FIELD_TITLES: Record<FieldName, string> = {
  layer: 'Layers', directions: 'Directions', amplitude: 'Amplitude', phase: 'Phase shift', stiffness: 'Stiffness',
};

/** Ends of a field's values. */
export const FIELD_RANGES: Record<ScalarName, [number, number]> = {
  layer: [0, 1], amplitude: [-1, 1], phase: [0, 1], stiffness: [0.01, 100],
};

/** Factors: twice as much and half as much are equally far from 1. */
export const isFactor = (field: FieldName): boolean => field === 'stiffness';

/** A value of a field, as lists and tags show it. */
export const valueInWords = (field: FieldName, value: number): string => (isFactor(field) ? `×${Number(value.toPrecision(3))}` : value.toFixed(2));

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
const LIST: Record<FieldName, string> = {
  layer: 'layer', directions: 'fibres.strokes', amplitude: 'amplitude.paint', phase: 'phase.paint', stiffness: 'material.fields.stiffness.paint',
};

const ownerOf = ({ path, bodyPath }: Canvas, field: FieldName): string => (BODY_FIELDS.includes(field) ? bodyPath : (path ?? ''));
const fieldPath = (canvas: Canvas, field: ScalarName): string =>
  field === 'stiffness' ? `${canvas.bodyPath}.material.fields.stiffness` : `${canvas.path}.${field}`;

export const listPath = (canvas: Canvas, field: FieldName): string => `${ownerOf(canvas, field)}.${LIST[field]}`;

/** Where it is said how a field's paint is spread inside. */
export const methodPath = (canvas: Canvas, field: FieldName): string =>
  BODY_FIELDS.includes(field) ? `${canvas.bodyPath}.material.fields.paint.method` : `${canvas.path}.paint.method`;

export const methodOf = ({ json, materialPaint }: Canvas, field: FieldName): string => (BODY_FIELDS.includes(field) ? materialPaint : json.paint)?.method ?? 'mesh';

/** Where it is said how wide the soft edge of a field's paint is. */
export const reachPath = (canvas: Canvas, field: FieldName): string => methodPath(canvas, field).replace(/method$/, 'reach');

/** How far paint fades into what is beneath it, in metres: what the scene says, or a fifth of the body's size. */
export const reachOf = ({ json, materialPaint }: Canvas, field: FieldName, sizeM: number): number => (BODY_FIELDS.includes(field) ? materialPaint : json.paint)?.reach ?? 0.2 * sizeM;

export function actsOf(json: Canvas['json'], field: FieldName): Act[] {
  if (field === 'directions') {
    return (json.fibres?.strokes ?? []).map((points): Act => ({ kind: 'direction', name: 'Direction stroke', value: null, points: points as Vec3[] }));
  }
  return paintOf(json, field).map((paint): Act => {
    if ('fill' in paint) {
      return { kind: paint.fill, name: paint.fill === 'face' ? 'Face fill' : 'Flat fill', value: paint.value, points: [paint.at] };
    }
    return { kind: 'stroke', name: 'Stroke', value: paint.value, points: paint.stroke };
  });
}

function paintOf(json: Canvas['json'], field: ScalarName): PaintJson[] {
  if (field === 'layer') return json.layer ?? [];
  const value = json[field];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return value.paint ?? [];
}

/** What the field is where nothing is painted, in a word or two. */
export function formulaOf(json: Canvas['json'], field: FieldName): string | null {
  const value = field === 'directions' ? json.fibres : field === 'layer' ? null : json[field];
  if (typeof value === 'number') return field === 'amplitude' ? `${value} everywhere` : null;
  if (Array.isArray(value)) return 'keyed';
  if (typeof value !== 'object' || value === null) return null;
  const base = field === 'layer' || field === 'directions' ? null : baseOf(json, field);
  if (base !== null) return `${base} everywhere`;
  const formula = ['along', 'around', 'distance', 'path', 'spiral', 'rings'].find((word) => word in value);
  if (formula) return typeof (value as Record<string, unknown>)[formula] === 'string' ? `${formula} ${(value as Record<string, string>)[formula]}` : formula;
  return 'keys' in value ? 'keyed' : null;
}

/** Why a field cannot be painted now; none where it can. */
export function whyNot({ json, path }: Canvas, field: FieldName): string | null {
  if (path === null && !BODY_FIELDS.includes(field)) return 'This body has no muscle.';
  const keyed = field === 'amplitude' && formulaOf(json, 'amplitude') === 'keyed';
  return keyed ? 'The amplitude is keyed over time. Delete its keys to paint it.' : null;
}

/** What a field is away from paint, where nothing else says so. */
const BASES: Partial<Record<FieldName, number>> = { amplitude: 1, phase: 0 };

/** The same number everywhere, as a formula that paint may lie on. */
const everywhere = (number: number): { along: string; from: number; to: number } => ({ along: 'y', from: number, to: number });

/** The number that a field has everywhere away from its paint; none where a formula or other paint says. */
export function baseOf(json: Canvas['json'], field: FieldName): number | null {
  if (field !== 'amplitude' && field !== 'phase') return null;
  const value = json[field];
  if (value === undefined || value === null) return BASES[field]!;
  if (typeof value === 'number') return value;
  const { along, from, to } = value as { along?: string; from?: number; to?: number };
  return along !== undefined && from === to ? (from ?? 0) : null;
}

/** Whether a field keeps what it was away from its paint; if not, it is filled between paint, as in the paper. */
export const isLocal = (json: Canvas['json'], field: FieldName): boolean => BODY_FIELDS.includes(field) || formulaOf(json, field) !== null;

/** Makes a painted field one that keeps what it was, or one that is filled between its paint. */
export function setLocal(canvas: Canvas, field: 'amplitude' | 'phase', local: boolean): SceneCommand {
  const paint = paintOf(canvas.json, field) as unknown as Json;
  const value: Json = local ? { ...everywhere(BASES[field]!), paint } : { paint };
  return { do: 'set', path: fieldPath(canvas, field), value };
}

/** Adds an act. A field that was one number, or none, becomes a painted one that keeps this number away from its paint. */
export function addAct(canvas: Canvas, field: FieldName, act: PaintJson | Vec3[]): SceneCommand {
  const value = act as unknown as Json;
  const isNew = field !== 'layer' && field !== 'directions' && (typeof canvas.json[field] !== 'object' || canvas.json[field] === null);
  if (isNew) {
    const base = baseOf(canvas.json, field);
    return { do: 'set', path: fieldPath(canvas, field), value: { ...(base === null ? {} : everywhere(base)), paint: [value] } };
  }
  return { do: 'add', to: listPath(canvas, field), value };
}

/** Several acts, in order: the first may make the field that the others are added to. */
export const addActs = (canvas: Canvas, field: ScalarName, acts: readonly PaintJson[]): SceneCommand[] => {
  const made: Canvas = { ...canvas, json: { ...canvas.json, ...(typeof canvas.json[field] === 'object' ? {} : { [field]: { paint: [] } }) } };
  return acts.map((act, i) => addAct(i === 0 ? canvas : made, field, act));
};

/**
 * Removes an act. The last one takes what it made with it: a field that is nothing but paint goes back to none,
 * fibres that are nothing but strokes run along an axis again.
 */
export function removeAct(canvas: Canvas, field: FieldName, index: number, axis: string): SceneCommand {
  const { json, path } = canvas;
  const isLast = actsOf(json, field).length === 1;
  if (isLast && field === 'directions') {
    return formulaOf(json, 'directions') ? { do: 'unset', path: `${path}.fibres.strokes` } : { do: 'set', path: `${path}.fibres`, value: { along: axis } };
  }
  if (isLast && field !== 'directions') {
    const at = fieldPath(canvas, field);
    const base = baseOf(json, field);
    // It is the number again that it was.
    if (base !== null) return base === BASES[field] ? { do: 'unset', path: at } : { do: 'set', path: at, value: base };
    return { do: 'unset', path: field !== 'layer' && formulaOf(json, field) ? `${at}.paint` : at };
  }
  return { do: 'remove', path: `${listPath(canvas, field)}[${index}]` };
}

export const setActValue = (canvas: Canvas, field: FieldName, index: number, value: number): SceneCommand => ({
  do: 'set', path: `${listPath(canvas, field)}[${index}].value`, value,
});

/** Moves an act; later ones cover earlier ones. */
export function moveAct(canvas: Canvas, field: FieldName, from: number, to: number): SceneCommand {
  const list = listPath(canvas, field);
  const value = (field === 'directions' ? canvas.json.fibres?.strokes?.[from] : paintOf(canvas.json, field)[from]) as unknown as Json;
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
