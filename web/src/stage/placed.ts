/** Places and turns of things, and what a gesture makes of them. Plain numbers but for three's quaternions. */
import { Euler, Quaternion, Vector3 } from 'three';
import { type Vec3, add, sub } from '../document/vector';

/** Where something is: metres, and degrees about x, then y, then z. */
export interface Placed {
  at: Vec3;
  turnDeg: Vec3;
  /** Its size along its own axes; left out, 1. */
  times?: Vec3;
}

/** A motion of what is on screen: made larger and turned about `pivot`, then moved by `by`. */
export interface Moved {
  pivot: Vec3;
  by: Vec3;
  turn: Quaternion;
  times: Vec3;
}

/** R = Rz Ry Rx, as scenes mean their angles. */
const ORDER = 'ZYX';
const RADIANS = Math.PI / 180;

export function turnOf(deg: Vec3): Quaternion {
  return new Quaternion().setFromEuler(new Euler(deg[0] * RADIANS, deg[1] * RADIANS, deg[2] * RADIANS, ORDER));
}

export const aboutAxis = (axis: Vec3, deg: number): Quaternion => new Quaternion().setFromAxisAngle(new Vector3(...axis), deg * RADIANS);

/** The angles of a turn that lie nearest to others: of the two ways to say it, in whole turns beside it. */
export function degreesNear(turn: Quaternion, near: Vec3): Vec3 {
  const euler = new Euler().setFromQuaternion(turn, ORDER);
  const one: Vec3 = [euler.x / RADIANS, euler.y / RADIANS, euler.z / RADIANS];
  const other: Vec3 = [one[0] + 180, 180 - one[1], one[2] + 180];
  const beside = (angles: Vec3): Vec3 => angles.map((angle, i) => angle + 360 * Math.round((near[i]! - angle) / 360)) as Vec3;
  const away = (angles: Vec3): number => angles.reduce((sum, angle, i) => sum + Math.abs(angle - near[i]!), 0);
  const [a, b] = [beside(one), beside(other)];
  return away(a) <= away(b) + 1e-6 ? a : b;
}

/** Turned about an axis of the world, however far: whole turns are kept, for keys that run through them. */
export function turned(deg: Vec3, axis: Vec3, by: number): Vec3 {
  const steps = Math.max(1, Math.ceil(Math.abs(by) / 40));
  let now = deg;
  for (let i = 0; i < steps; i++) now = degreesNear(aboutAxis(axis, by / steps).multiply(turnOf(now)), now);
  return now;
}

/** What takes something from one place to another, about where it stood. */
export function motionOf(from: Placed, to: Placed): Moved {
  const times = ([0, 1, 2] as const).map((i) => (to.times?.[i] ?? 1) / (from.times?.[i] ?? 1)) as Vec3;
  return { pivot: from.at, by: sub(to.at, from.at), turn: turnOf(to.turnDeg).multiply(turnOf(from.turnDeg).invert()), times };
}

export function carried(point: Vec3, { pivot, by, turn, times }: Moved): Vec3 {
  const about = new Vector3(...sub(point, pivot)).multiply(new Vector3(...times)).applyQuaternion(turn);
  return add(add(pivot, by), [about.x, about.y, about.z]);
}
