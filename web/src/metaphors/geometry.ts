/**
 * Where a metaphor's regions are and which way they are pushed, as `sinew_direct::metaphor` has it: shown here, acted on
 * there. Regions are chosen at rest; the widget's frame goes with the vertex it is welded to and turns as the body does.
 */
import { isTable, type Json } from '../document/scene';
import { type Vec3, add, cross, dot, length, normalize, scale, sub } from '../document/vector';
import { point } from '../stage/skinPicker';
import { sizeOf } from './box';
import { bestFit, type Turn, turned } from './fit';
import { principalFrame } from './principal';
import { type Metaphor, numberOf, sizesOf, vectorOf } from './read';

/** x along what is stretched, twisted or bent, y the way it bends. */
export interface Frame {
  at: Vec3;
  x: Vec3;
  y: Vec3;
  z: Vec3;
}

export type Region =
  | { kind: 'cylinder'; from: number; to: number; radius: number }
  | { kind: 'sphere'; centre: Vec3; radius: number }
  | { kind: 'box'; low: Vec3; high: Vec3 }
  | { kind: 'set'; name: string };

export type Push = { kind: 'along'; way: Vec3 } | { kind: 'around'; factor: number; byRadius: number | null } | { kind: 'away'; factor: number } | { kind: 'field'; arrows: readonly Arrow[] };

/** A push at a place of the widget's frame. */
export interface Arrow {
  at: Vec3;
  push: Vec3;
}

export interface Part {
  /** `A base`. */
  name: string;
  /** Which of the two region colours it has. */
  tone: 'a' | 'b';
  region: Region;
  push: Push;
}

/** None where `up` runs along the axis, or one of them is nothing. */
export function frameOf(at: Vec3, along: Vec3, up: Vec3): Frame | null {
  if (length(along) === 0) return null;
  const x = normalize(along);
  const across = sub(up, scale(x, dot(up, x)));
  if (length(across) < 1e-12) return null;
  const y = normalize(across);
  return { at, x, y, z: cross(x, y) };
}

/** The middle of a body's points. */
export function middleOf(rest: Float32Array): Vec3 {
  let sum: Vec3 = [0, 0, 0];
  const count = rest.length / 3;
  for (let i = 0; i < count; i++) sum = add(sum, point(rest, i));
  return scale(sum, 1 / Math.max(1, count));
}

export function restFrameOf({ json }: Pick<Metaphor, 'json'>, rest: Float32Array): Frame | null {
  const [along, up] = [vectorOf(json.along, [1, 0, 0]), vectorOf(json.up, [0, 1, 0])];
  if (json.frame === 'principal') {
    const own = principalFrame(rest);
    return frameOf(worldOf(own, vectorOf(json.at, [0, 0, 0])), wayOf(own, along), wayOf(own, up));
  }
  return frameOf(Array.isArray(json.at) ? vectorOf(json.at, [0, 0, 0]) : middleOf(rest), along, up);
}

/** The frame on a body as it is now, and how the body has turned. */
export function frameNow(atRest: Frame, welded: number, rest: Float32Array, now: Float32Array, origin: Vec3): { frame: Frame; turn: Turn } {
  const turn = bestFit(rest, now);
  const from = sub(atRest.at, point(rest, welded));
  const at = add(add(point(now, welded), origin), turned(turn, from));
  return { frame: { at, x: turned(turn, atRest.x), y: turned(turn, atRest.y), z: turned(turn, atRest.z) }, turn };
}

export const placeIn = (frame: Frame, at: Vec3): Vec3 => {
  const from = sub(at, frame.at);
  return [dot(from, frame.x), dot(from, frame.y), dot(from, frame.z)];
};
export const wayOf = (frame: Frame, way: Vec3): Vec3 => add(add(scale(frame.x, way[0]), scale(frame.y, way[1])), scale(frame.z, way[2]));
export const worldOf = (frame: Frame, place: Vec3): Vec3 => add(frame.at, wayOf(frame, place));

/** The point of the flesh nearest to a place at rest. */
export function nearestPoint(rest: Float32Array, at: Vec3): number {
  let [nearest, least] = [0, Infinity];
  for (let i = 0; 3 * i < rest.length; i++) {
    const away = Math.hypot(rest[3 * i]! - at[0], rest[3 * i + 1]! - at[1], rest[3 * i + 2]! - at[2]);
    if (away < least) [nearest, least] = [i, away];
  }
  return nearest;
}

/** In the order of the engine: both ends, then the pivot of a bend. */
export function partsOf(metaphor: Pick<Metaphor, 'act' | 'json'>): Part[] {
  const sizes = sizesOf(metaphor);
  switch (metaphor.act) {
    case 'bend':
      return bendParts(numberOf(sizes.arm, 0), numberOf(sizes.radius, 0), numberOf(sizes.pivot_radius, numberOf(sizes.radius, 0)), numberOf(sizes.angle_deg, 180));
    case 'stretch':
    case 'compress': {
      const sign = metaphor.act === 'stretch' ? 1 : -1;
      return cylinderParts(sizes, (side) => ({ kind: 'along', way: [sign * side, 0, 0] }));
    }
    case 'twist':
      return cylinderParts(sizes, (side) => ({ kind: 'around', factor: side, byRadius: sizes.by_radius === true ? numberOf(sizes.radius, 0) : null }));
    case 'custom':
      return customParts(isTable(metaphor.json.act) ? metaphor.json.act.custom : undefined);
  }
}

function bendParts(arm: number, radius: number, pivotRadius: number, angleDeg: number): Part[] {
  const half = (angleDeg * Math.PI) / 360;
  const [wide, up] = [Math.sin(half), Math.cos(half)];
  const end = (side: number, name: string): Part => ({
    name, tone: 'a', region: { kind: 'sphere', centre: [side * wide * arm, up * arm, 0], radius }, push: { kind: 'along', way: [-side * up, wide, 0] },
  });
  const pivot: Part = { name: 'B bend', tone: 'b', region: { kind: 'sphere', centre: [0, 0, 0], radius: pivotRadius }, push: { kind: 'along', way: [0, -2 * wide, 0] } };
  return [end(-1, 'A base'), end(1, 'C tip'), pivot];
}

function cylinderParts(sizes: ReturnType<typeof sizesOf>, pushOf: (side: number) => Push): Part[] {
  const [near, far, radius] = [numberOf(sizes.near, 0), numberOf(sizes.far, 0), numberOf(sizes.radius, 0)];
  return [
    { name: 'A base', tone: 'a', region: { kind: 'cylinder', from: -far, to: -near, radius }, push: pushOf(-1) },
    { name: 'B tip', tone: 'b', region: { kind: 'cylinder', from: near, to: far, radius }, push: pushOf(1) },
  ];
}

function customParts(json: Json | undefined): Part[] {
  return (Array.isArray(json) ? json : []).flatMap((entry, i): Part[] => {
    const region = isTable(entry) ? customRegion(entry.region) : null;
    const push = isTable(entry) ? customPush(entry.push) : null;
    return region && push ? [{ name: `Region ${i + 1}`, tone: i % 2 === 0 ? 'a' : 'b', region, push }] : [];
  });
}

function customRegion(json: Json | undefined): Region | null {
  if (!isTable(json)) return null;
  const { cylinder, sphere, box, set } = json;
  if (isTable(cylinder)) return { kind: 'cylinder', from: numberOf(cylinder.from, 0), to: numberOf(cylinder.to, 0), radius: numberOf(cylinder.radius, 0) };
  if (isTable(sphere)) return { kind: 'sphere', centre: vectorOf(sphere.centre, [0, 0, 0]), radius: numberOf(sphere.radius, 0) };
  if (isTable(box)) return { kind: 'box', low: vectorOf(box.min, [0, 0, 0]), high: vectorOf(box.max, [0, 0, 0]) };
  return typeof set === 'string' ? { kind: 'set', name: set } : null;
}

function customPush(json: Json | undefined): Push | null {
  if (!isTable(json)) return null;
  if (Array.isArray(json.along)) return { kind: 'along', way: vectorOf(json.along, [0, 0, 0]) };
  if (typeof json.around === 'number') return { kind: 'around', factor: json.around, byRadius: null };
  if (Array.isArray(json.field)) {
    return { kind: 'field', arrows: json.field.flatMap((arrow) => (isTable(arrow) ? [{ at: vectorOf(arrow.at, [0, 0, 0]), push: vectorOf(arrow.push, [0, 0, 0]) }] : [])) };
  }
  return typeof json.away === 'number' ? { kind: 'away', factor: json.away } : null;
}

/** Points this share of the body's size outside a region are on its face, as the engine has it. */
const ON_FACE = 1e-6;

/** Whether a region holds a place of the widget's frame, or has it on its face; sets hold points, not places. */
export function holds(region: Region, [x, y, z]: Vec3, slack = 0): boolean {
  switch (region.kind) {
    case 'cylinder':
      return x >= region.from - slack && x <= region.to + slack && Math.hypot(y, z) <= region.radius + slack;
    case 'sphere':
      return length(sub([x, y, z], region.centre)) <= region.radius + slack;
    case 'box':
      return [x, y, z].every((c, i) => c >= region.low[i]! - slack && c <= region.high[i]! + slack);
    case 'set':
      return false;
  }
}

/** The points of the flesh in each part; `setPoints` finds those of a named set. */
export function pointsIn(parts: readonly Part[], frame: Frame, rest: Float32Array, setPoints: (name: string) => readonly number[] = () => []): number[][] {
  const found: number[][] = parts.map(({ region }) => (region.kind === 'set' ? [...setPoints(region.name)] : []));
  const slack = ON_FACE * sizeOf(rest);
  for (let i = 0; 3 * i < rest.length; i++) {
    const place = placeIn(frame, point(rest, i));
    parts.forEach(({ region }, part) => holds(region, place, slack) && found[part]!.push(i));
  }
  return found;
}

/** A stiff disc pushes with the magnitude at the mean distance of the points it holds, however much air is in its region. */
export function fittedDiscs(parts: readonly Part[], points: readonly (readonly number[])[], frame: Frame, rest: Float32Array): Part[] {
  return parts.map((part, number) => {
    if (part.push.kind !== 'around' || part.push.byRadius === null) return part;
    const away = points[number]!.map((i) => placeIn(frame, point(rest, i))).map(([, y, z]) => Math.hypot(y, z));
    const mean = away.reduce((sum, each) => sum + each, 0) / Math.max(1, away.length);
    return { ...part, push: { ...part.push, byRadius: mean || part.push.byRadius } };
  });
}

/** The way a place of the widget's frame is pushed; what is on the axis has no way about it. */
export function pushAt(push: Push, place: Vec3): Vec3 {
  if (push.kind === 'along') return push.way;
  if (push.kind === 'field') return blended(push.arrows, place);
  const across: Vec3 = [0, place[1], place[2]];
  const away = length(across);
  if (away <= 1e-9 * length(place)) return [0, 0, 0];
  if (push.kind === 'away') return scale(across, push.factor / away);
  const around = scale(cross([1, 0, 0], across), push.factor);
  return scale(around, 1 / (push.byRadius ?? away));
}

/** The most that a push does: a factor on the force. */
export function strengthOf(push: Push): number {
  if (push.kind === 'along') return length(push.way);
  return push.kind === 'field' ? Math.max(0, ...push.arrows.map((arrow) => length(arrow.push))) : Math.abs(push.factor);
}

/** Arrows blended by the inverse square of the distance, as the engine does at rest. */
function blended(arrows: readonly Arrow[], place: Vec3): Vec3 {
  let [sum, total]: [Vec3, number] = [[0, 0, 0], 0];
  for (const { at, push } of arrows) {
    const squared = dot(sub(place, at), sub(place, at));
    if (squared === 0) return push;
    sum = add(sum, scale(push, 1 / squared));
    total += 1 / squared;
  }
  return total > 0 ? scale(sum, 1 / total) : [0, 0, 0];
}
