/** A metaphor on its body as it is now: its frame, its regions with their points, and the forces on them. */
import { numberAt } from '../document/channel';
import type { Json } from '../document/generated/protocol';
import { valueAt } from '../document/scene';
import { type Vec3, add, length, scale, sub } from '../document/vector';
import { pointsOf } from '../parts/sets';
import { point } from '../stage/skinPicker';
import type { SoftBody } from '../stage/softBody';
import { type Turn, bestFit, turned } from './fit';
import { type Frame, type Part, fittedDiscs, frameNow, middleOf, nearestPoint, partsOf, placeIn, pointsIn, pushAt, restFrameOf, strengthOf, wayOf, worldOf } from './geometry';
import { principalFrame } from './principal';
import type { Metaphor } from './read';

/** What does not change while the body moves. */
export interface Fixed {
  metaphor: Metaphor;
  parts: Part[];
  /** Numbers of flesh points, by part. */
  points: number[][];
  restFrame: Frame;
  /** The body's principal frame where the widget is told in it. */
  own: Frame | null;
  welded: number;
}

export interface WidgetNow extends Fixed {
  frame: Frame;
  turn: Turn;
  /** Where each region is drawn: moved and turned as its own points have. */
  frames: Frame[];
  /** The middle of each region, in the world. */
  middles: Vec3[];
  /** Where each part's points are. */
  places: Vec3[][];
  /** The force on each of them, newton, as far as it is drawn: without what balances it. */
  forces: Vec3[][];
  /** The largest force on a point at the curve's peak. */
  mostN: number;
}

export function fixedOf(metaphor: Metaphor, body: SoftBody, scene: Json | undefined): Fixed | null {
  const { model } = body;
  const restFrame = restFrameOf(metaphor, model.rest);
  if (!restFrame) return null;
  const parts = partsOf(metaphor);
  const setPoints = (name: string): number[] => pointsOf(valueAt(scene, `${metaphor.body}.sets.${name}`), model);
  const points = pointsIn(parts, restFrame, model.rest, setPoints);
  return { metaphor, parts: fittedDiscs(parts, points, restFrame, model.rest), points, restFrame, own: metaphor.json.frame === 'principal' ? principalFrame(model.rest) : null, welded: nearestPoint(model.rest, restFrame.at) };
}

/** `newton` is the magnitude on each region at the shown frame. */
export function widgetNow(fixed: Fixed, body: SoftBody, newton: number): WidgetNow | null {
  const flesh = body.fleshNow;
  if (!flesh) return null;
  const { metaphor, parts, points } = fixed;
  const { frame, turn } = frameNow(fixed.restFrame, fixed.welded, body.model.rest, flesh.positions, flesh.origin);
  const frames = points.map((part) => regionFrame(part, fixed.restFrame, body.model.rest, flesh.positions, flesh.origin) ?? frame);
  const places = points.map((part) => part.map((i) => add(point(flesh.positions, i), flesh.origin)));
  const middles = parts.map((part, i) => worldOf(frames[i]!, regionMiddle(part)));
  const share = (part: number): number => (metaphor.json.paper === true ? 1 : 1 / Math.max(1, points[part]!.length));
  const forces = places.map((all, part) => all.map((at) => scale(wayOf(frame, pushAt(parts[part]!.push, placeIn(frame, at))), newton * share(part))));
  const peak = peakOf(metaphor.json.newton, newton);
  const mostN = peak * Math.max(0, ...parts.map(({ push }, part) => share(part) * strengthOf(push)));
  return { ...fixed, frame, turn, frames, middles, places, forces, mostN };
}

/** The widget's frame as the points of one region carry it; none where they are too few to have a turn. */
function regionFrame(points: readonly number[], atRest: Frame, rest: Float32Array, now: Float32Array, origin: Vec3): Frame | null {
  if (points.length < 4) return null;
  const [a, b] = [gather(rest, points), gather(now, points)];
  const turn = bestFit(a, b);
  const at = add(add(turned(turn, sub(atRest.at, middleOf(a))), middleOf(b)), origin);
  return { at, x: turned(turn, atRest.x), y: turned(turn, atRest.y), z: turned(turn, atRest.z) };
}

function gather(of: Float32Array, points: readonly number[]): Float32Array {
  const out = new Float32Array(3 * points.length);
  points.forEach((point, i) => out.set(of.subarray(3 * point, 3 * point + 3), 3 * i));
  return out;
}

export function regionMiddle({ region }: Part): Vec3 {
  switch (region.kind) {
    case 'cylinder':
      return [(region.from + region.to) / 2, 0, 0];
    case 'sphere':
      return region.centre;
    case 'box':
      return scale(add(region.low, region.high), 0.5);
    case 'set':
      return [0, 0, 0];
  }
}

/** How far a region reaches from its middle, about. */
export function regionReach({ region }: Part): number {
  switch (region.kind) {
    case 'cylinder':
      return region.radius;
    case 'sphere':
      return region.radius;
    case 'box':
      return 0.5 * length(sub(region.high, region.low));
    case 'set':
      return 0;
  }
}

/** The largest magnitude of a curve, by its keys. */
export function peakOf(newton: Json | undefined, now = 0): number {
  const keys = Array.isArray(newton) ? newton : typeof newton === 'object' && newton !== null && Array.isArray(newton.keys) ? newton.keys : [];
  const values = keys.map((key) => (Array.isArray(key) && typeof key[1] === 'number' ? Math.abs(key[1]) : 0));
  return Math.max(Math.abs(now), Math.abs(typeof newton === 'number' ? newton : 0), ...values);
}

export const newtonAt = ({ json }: Metaphor, frame: number): number => numberAt(json.newton, frame) ?? 0;
