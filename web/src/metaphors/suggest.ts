/** Sizes of a new metaphor from the body about the place that was picked: along the limb there, as wide as it is. */
import type { Json } from '../document/generated/protocol';
import type { Table } from '../document/scene';
import { type Vec3, add, cross, dot, length, normalize, scale, sub } from '../document/vector';
import { point } from '../stage/skinPicker';
import { sizeOf } from './box';
import { diagonalise } from './fit';
import { middleOf } from './geometry';
import type { NewAct } from './read';

/** A part of a body that is longer than wide, or what comes nearest to one. */
export interface Limb {
  at: Vec3;
  along: Vec3;
  up: Vec3;
  /** From the axis to the skin. */
  radiusM: number;
  /** How far it goes on from `at`, against the axis and along it. */
  reachM: [number, number];
}

/** Share of E·A that a new metaphor pushes with. */
const SHARE = 0.05;

/** `forward` is the way the viewer looks, in rest coordinates: what bends should be seen to. */
export function limbAt(rest: Float32Array, picked: Vec3, forward: Vec3 | null = null): Limb {
  const middle = middleOf(rest);
  const sizeM = sizeOf(rest);
  const { near, along: axis } = axisAbout(rest, picked, sizeM);
  const along = dot(axis, sub(picked, middle)) < 0 ? scale(axis, -1) : axis;
  // A slice of the limb through the place: its middle is on the axis, its rim is the limb's width.
  let slice: number[] = [];
  for (let half = 0.04 * sizeM; slice.length < 6 && half < sizeM; half *= 1.4) {
    slice = near.filter((i) => Math.abs(dot(sub(point(rest, i), picked), along)) <= half);
  }
  const centre = meanOf(rest, slice.length > 0 ? slice : near);
  const axisAway = (p: Vec3): number => acrossOf(sub(p, centre), along);
  const aways = slice.map((i) => axisAway(point(rest, i))).sort((a, b) => a - b);
  const radiusM = Math.max(aways[Math.floor(0.95 * (aways.length - 1))] ?? 0, 0.03 * sizeM);
  const reachM = reachOf(rest, centre, along, radiusM);
  // Near a tip it moves inwards, so that both sides have something to push.
  const wanted = Math.min(2 * radiusM, 0.5 * (reachM[0] + reachM[1]));
  const shift = reachM[1] < wanted ? reachM[1] - wanted : reachM[0] < wanted ? wanted - reachM[0] : 0;
  const at = add(centre, scale(along, shift));
  return { at, along, up: upSeen(upOf(at, along, middle, picked, radiusM), along, forward), radiusM, reachM: [reachM[0] + shift, reachM[1] - shift] };
}

/** Away from the body's middle; towards the place that was picked where the axis goes through the middle. */
function upOf(at: Vec3, along: Vec3, middle: Vec3, picked: Vec3, radiusM: number): Vec3 {
  const across = (v: Vec3): Vec3 => sub(v, scale(along, dot(v, along)));
  const choices = [sub(at, middle), sub(picked, at)].map(across);
  const found = choices.find((way) => length(way) > 0.3 * radiusM) ?? across(Math.abs(along[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]);
  return normalize(found);
}

/** A way across the view where the one that is offered leads towards the viewer or away: from there nothing is seen to bend. */
function upSeen(up: Vec3, along: Vec3, forward: Vec3 | null): Vec3 {
  if (!forward || Math.abs(dot(up, forward)) < TOWARDS * length(forward)) return up;
  const aside = cross(along, forward);
  if (length(aside) < 0.2 * length(forward)) return up;
  const way = normalize(aside);
  // Upwards, else to the right.
  return way[1] < -1e-6 || (Math.abs(way[1]) <= 1e-6 && way[0] < 0) ? scale(way, -1) : way;
}

/** Cosine from which on a way leads towards the viewer rather than across. */
const TOWARDS = 0.75;

/** Fewer points have a longest axis by chance. */
const FEWEST = 20;
/** How much longer than wide (squared) something is to count as a limb. */
const LIMB = 1.9;

/** The principal axis of the flesh in a ball about the place: the smallest in which it is most like a limb. */
function axisAbout(rest: Float32Array, picked: Vec3, sizeM: number): { near: number[]; along: Vec3 } {
  let best: { near: number[]; along: Vec3; slender: number } | null = null;
  for (let radius = 0.08 * sizeM; radius <= 0.6 * sizeM; radius *= 1.2) {
    const near = joined(rest, select(rest, (p) => length(sub(p, picked)) <= radius), picked);
    if (near.length < FEWEST) continue;
    const axes = principal(rest, near, meanOf(rest, near));
    const slender = axes.spread[0]! / Math.max(axes.spread[1]!, 1e-12);
    // Beyond the first limb lies what it grows on.
    if (best && best.slender > LIMB && slender < best.slender) break;
    if (!best || slender > best.slender) best = { near, along: axes.first, slender };
  }
  const all = select(rest, () => true);
  return best ?? { near: all, along: principal(rest, all, middleOf(rest)).first };
}

/** Of some points those that hang together with the one nearest to a place: two ears side by side are two. */
function joined(rest: Float32Array, points: readonly number[], picked: Vec3): number[] {
  // So many are no limb of their own any more, and would take long.
  if (points.length < 2 || points.length > 900) return [...points];
  const gapM = 2.2 * spacingOf(rest, points);
  const away = (i: number, to: Vec3): number => Math.hypot(rest[3 * i]! - to[0], rest[3 * i + 1]! - to[1], rest[3 * i + 2]! - to[2]);
  const first = points.reduce((near, i) => (away(i, picked) < away(near, picked) ? i : near));
  const left = new Set(points);
  left.delete(first);
  const found = [first];
  for (let next = 0; next < found.length; next++) {
    const at = point(rest, found[next]!);
    for (const i of left) {
      if (away(i, at) > gapM) continue;
      left.delete(i);
      found.push(i);
    }
  }
  return found;
}

/** The usual distance from a point to its nearest neighbour, by a few of them. */
function spacingOf(rest: Float32Array, points: readonly number[]): number {
  const every = Math.max(1, Math.floor(points.length / 24));
  const nearest = points.filter((_, i) => i % every === 0).map((i) => {
    const at = point(rest, i);
    let least = Infinity;
    for (const j of points) if (j !== i) least = Math.min(least, Math.hypot(rest[3 * j]! - at[0], rest[3 * j + 1]! - at[1], rest[3 * j + 2]! - at[2]));
    return least;
  });
  return nearest.sort((a, b) => a - b)[Math.floor(nearest.length / 2)]!;
}

function principal(rest: Float32Array, points: readonly number[], centre: Vec3): { first: Vec3; spread: number[] } {
  const m = [0, 1, 2].map(() => [0, 0, 0]);
  for (const i of points) {
    const r = sub(point(rest, i), centre);
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) m[a]![b]! += r[a]! * r[b]!;
  }
  const q = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  diagonalise(m, q);
  const order = [0, 1, 2].sort((a, b) => m[b]![b]! - m[a]![a]!);
  return { first: normalize(q.map((row) => row[order[0]!]!) as Vec3), spread: order.map((i) => m[i]![i]!) };
}

/** How far flesh goes on along the axis without a gap. */
function reachOf(rest: Float32Array, at: Vec3, along: Vec3, radiusM: number): [number, number] {
  const places = select(rest, (p) => acrossOf(sub(p, at), along) <= 1.3 * radiusM).map((i) => dot(sub(point(rest, i), at), along)).sort((a, b) => a - b);
  const gap = Math.max(radiusM, 1e-9);
  const run = (side: number): number => {
    let reach = 0;
    for (const place of side > 0 ? places : places.toReversed()) {
      const away = side * place;
      if (away < 0) continue;
      if (away - reach > gap) break;
      reach = away;
    }
    return reach;
  };
  return [run(-1), run(1)];
}

const acrossOf = (v: Vec3, along: Vec3): number => length(sub(v, scale(along, dot(v, along))));

function select(rest: Float32Array, keep: (p: Vec3) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; 3 * i < rest.length; i++) if (keep(point(rest, i))) found.push(i);
  return found;
}

const meanOf = (rest: Float32Array, points: readonly number[]): Vec3 => scale(points.reduce<Vec3>((sum, i) => add(sum, point(rest, i)), [0, 0, 0]), 1 / Math.max(1, points.length));

/** What the scene says of a new metaphor, but for its name. */
export function suggested(act: NewAct, limb: Limb, youngPa: number, [first, last]: readonly [number, number]): Table {
  const tidy = (value: number): number => Number(value.toPrecision(3));
  const vector = (v: Vec3): Json => v.map((c) => (Math.abs(c) < 5e-4 ? 0 : Number(c.toFixed(3))));
  const radius = tidy(1.15 * limb.radiusM);
  const reach = Math.min(...limb.reachM);
  const arm = tidy(Math.max(0.6 * limb.radiusM, Math.min(2 * limb.radiusM, reach)));
  const sizes: Json = act === 'bend' ? { arm, radius } : { near: tidy(0.3 * arm), far: tidy(Math.max(1.1 * arm, 0.9 * limb.radiusM)), radius };
  const force = tidy(SHARE * youngPa * Math.PI * limb.radiusM ** 2);
  return { kind: 'metaphor', at: vector(limb.at), along: vector(limb.along), up: vector(limb.up), act: { [act]: sizes }, newton: easedPulse(force, first, last) };
}

/** Rises over the first third, holds, and is gone at five sixths; eased, and nothing outside. */
export function easedPulse(force: number, first: number, last: number): Json {
  const length = Math.max(12, last - first);
  const at = (share: number): number => Math.round(first + share * length);
  const frames = [at(0), at(1 / 3), at(1 / 2), at(5 / 6)];
  const values = [0, force, force, 0];
  const keys = frames.map((frame, i): Json => {
    const next = frames[i + 1];
    const third = next === undefined ? 0 : Number(((next - frame) / 3).toFixed(2));
    return next === undefined ? [frame, values[i]!] : [frame, values[i]!, { leave: [third, 0], arrive: [-third, 0] }];
  });
  return { keys, outside: 'zero' };
}
