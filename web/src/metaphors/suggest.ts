/** Sizes of a new metaphor from the body about the place that was picked: along the limb there, as wide as it is. */
import type { Json } from '../document/generated/protocol';
import type { Table } from '../document/scene';
import { type Vec3, add, dot, length, normalize, scale, sub } from '../document/vector';
import { point } from '../stage/skinPicker';
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

export function limbAt(rest: Float32Array, picked: Vec3): Limb {
  const middle = middleOf(rest);
  const sizeM = sizeOf(rest);
  let { centre, along } = axisAbout(rest, picked, sizeM);
  if (dot(along, sub(picked, middle)) < 0) along = scale(along, -1);
  // A slice of the limb through the place: its middle is on the axis, its rim is the limb's width.
  let slice: number[] = [];
  for (let half = 0.04 * sizeM; slice.length < 6 && half < sizeM; half *= 1.4) {
    slice = select(rest, (p) => Math.abs(dot(sub(p, picked), along)) <= half && length(sub(p, picked)) < 0.5 * sizeM);
  }
  centre = slice.length > 0 ? meanOf(rest, slice) : centre;
  const axisAway = (p: Vec3): number => acrossOf(sub(p, centre), along);
  const aways = slice.map((i) => axisAway(point(rest, i))).sort((a, b) => a - b);
  const radiusM = Math.max(aways[Math.floor(0.95 * (aways.length - 1))] ?? 0, 0.03 * sizeM);
  const reachM = reachOf(rest, centre, along, radiusM);
  // Near a tip it moves inwards, so that both sides have something to push.
  const wanted = Math.min(2 * radiusM, 0.5 * (reachM[0] + reachM[1]));
  const shift = reachM[1] < wanted ? reachM[1] - wanted : reachM[0] < wanted ? wanted - reachM[0] : 0;
  const at = add(centre, scale(along, shift));
  return { at, along, up: upOf(at, along, middle, picked, radiusM), radiusM, reachM: [reachM[0] + shift, reachM[1] - shift] };
}

/** Away from the body's middle; towards the place that was picked where the axis goes through the middle. */
function upOf(at: Vec3, along: Vec3, middle: Vec3, picked: Vec3, radiusM: number): Vec3 {
  const across = (v: Vec3): Vec3 => sub(v, scale(along, dot(v, along)));
  const choices = [sub(at, middle), sub(picked, at)].map(across);
  const found = choices.find((way) => length(way) > 0.3 * radiusM) ?? across(Math.abs(along[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]);
  return normalize(found);
}

/** The principal axis of the flesh in the ball in which it is most like a limb. */
function axisAbout(rest: Float32Array, picked: Vec3, sizeM: number): { centre: Vec3; along: Vec3 } {
  let best: { centre: Vec3; along: Vec3; slender: number } | null = null;
  for (let radius = 0.12 * sizeM; radius <= 0.6 * sizeM; radius *= 1.25) {
    const near = select(rest, (p) => length(sub(p, picked)) <= radius);
    if (near.length < 8) continue;
    const centre = meanOf(rest, near);
    const axes = principal(rest, near, centre);
    const slender = axes.spread[0]! / Math.max(axes.spread[1]!, 1e-12);
    if (!best || slender > best.slender) best = { centre, along: axes.first, slender };
  }
  return best ?? { centre: middleOf(rest), along: principal(rest, select(rest, () => true), middleOf(rest)).first };
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

/** The diagonal of the body's box. */
export function sizeOf(rest: Float32Array): number {
  const { low, high } = boxOf(rest);
  return length(sub(high, low));
}

export function boxOf(rest: Float32Array): { low: Vec3; high: Vec3 } {
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  rest.forEach((c, i) => {
    low[i % 3] = Math.min(low[i % 3]!, c);
    high[i % 3] = Math.max(high[i % 3]!, c);
  });
  return { low, high };
}

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
