/** The metaphors of a scene, as the document says them. */
import { type Json, type Table, entryPath, isTable, list, nameOf } from '../document/scene';
import type { Vec3 } from '../document/vector';
import type { IconName } from '../ui/icons';

export const ACTS = ['bend', 'twist', 'stretch', 'compress', 'custom'] as const;
export type ActKind = (typeof ACTS)[number];
/** Acts that can be put on a body by a click. */
export type NewAct = Exclude<ActKind, 'custom'>;

export const ACT_ICONS: Record<ActKind, IconName> = { bend: 'bend', twist: 'twist', stretch: 'stretch', compress: 'compress', custom: 'material' };

export interface Metaphor {
  /** `body.rabbit.director.ear`. */
  path: string;
  name: string;
  body: string;
  /** Its place in the body's list of directors. */
  index: number;
  act: ActKind;
  json: Table;
  muted: boolean;
}

export function metaphorsOf(scene: Json | undefined, body: string | null): Metaphor[] {
  if (body === null) return [];
  const directors = list(scene, `${body}.director`);
  return directors.flatMap((json, index): Metaphor[] => {
    if (!isTable(json) || json.kind !== 'metaphor') return [];
    const act = actOf(json);
    return [{ path: entryPath(`${body}.director`, directors, index), name: nameOf(json) ?? `metaphor-${index + 1}`, body, index, act, json, muted: json.mute === true }];
  });
}

export function metaphorAt(scene: Json | undefined, body: string | null, path: string | null): Metaphor | null {
  return metaphorsOf(scene, body).find((each) => each.path === path) ?? null;
}

export function actOf(json: Table): ActKind {
  const act = isTable(json.act) ? json.act : {};
  return ACTS.find((kind) => kind in act) ?? 'custom';
}

/** All of it that decides what comes of it, but for its goal: two that are the same move a body alike. */
export function textOf({ json }: Pick<Metaphor, 'json'>): string {
  const { goal, ...rest } = json;
  delete rest.solved_for;
  return JSON.stringify([rest, isTable(goal) && goal.by === 'inside' ? goal : null]);
}

/** Whether its goal is met by its rest shape. */
export const isInside = ({ json }: Pick<Metaphor, 'json'>): boolean => isTable(json.goal) && json.goal.by === 'inside';

/** The curve that drives it: its force, or how far its rest shape goes. */
export const drivenBy = (one: Pick<Metaphor, 'json' | 'path'>): string => `${one.path}.${isInside(one) && one.json.contraction !== undefined ? 'contraction' : 'newton'}`;

/** The sizes of its act: `arm`, `radius`, `near`, `far`. */
export function sizesOf({ act, json }: Pick<Metaphor, 'act' | 'json'>): Table {
  const sizes = isTable(json.act) ? json.act[act] : undefined;
  return isTable(sizes) ? sizes : {};
}

export function vectorOf(json: Json | undefined, fallback: Vec3): Vec3 {
  return Array.isArray(json) && json.length === 3 && json.every((part) => typeof part === 'number') ? (json as Vec3) : fallback;
}

export const numberOf = (json: Json | undefined, fallback: number): number => (typeof json === 'number' ? json : fallback);

/** Degrees, or per cent of a length. */
export const unitOfAct = (act: ActKind): '°' | '%' => (act === 'bend' || act === 'twist' ? '°' : '%');

/** What the stage calls the number that tells how far an act has got. */
export const measureOfAct = (act: ActKind): string | null => ({ bend: 'bend', twist: 'twist', stretch: 'stretch', compress: 'compression', custom: null })[act];

/** A measured number in a list: 42.6°, ×1.06. */
export function measuredInWords(act: ActKind, value: number): string {
  if (unitOfAct(act) === '°') return `${value.toFixed(1).replace(/^-0\.0$/, '0.0')}°`;
  return `×${(1 + (act === 'compress' ? -value : value) / 100).toFixed(2)}`;
}
