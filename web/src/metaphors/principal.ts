/**
 * The frame that fits a body at rest best, by the sign rule of crates/sinew_math/src/principal.rs: an axis points to the longer,
 * thinner end, or where both are alike to the side of its largest component. All points weigh the same: the page knows no masses.
 */
import { type Vec3, add, cross, dot, scale, sub } from '../document/vector';
import { point } from '../stage/skinPicker';
import { diagonalise } from './fit';
import type { Frame } from './geometry';

/** Cubes of a symmetric cloud sum to little. The engine weighs by mass and may ask for less. */
const EVEN = 1e-3;

export function principalFrame(rest: Float32Array): Frame {
  const count = Math.max(1, rest.length / 3);
  let at: Vec3 = [0, 0, 0];
  for (let i = 0; 3 * i < rest.length; i++) at = add(at, scale(point(rest, i), 1 / count));
  const n = [0, 1, 2].map(() => [0, 0, 0]);
  for (let i = 0; 3 * i < rest.length; i++) {
    const from = sub(point(rest, i), at);
    for (let row = 0; row < 3; row++) for (let column = 0; column < 3; column++) n[row]![column]! += (from[row]! * from[column]!) / count;
  }
  const q = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? 1 : 0)));
  diagonalise(n, q);
  const order = [0, 1, 2].sort((a, b) => n[b]![b]! - n[a]![a]!);
  const signed = (which: number): Vec3 => {
    const axis = [q[0]![which]!, q[1]![which]!, q[2]![which]!] as Vec3;
    let lean = 0;
    for (let i = 0; 3 * i < rest.length; i++) lean += dot(sub(point(rest, i), at), axis) ** 3 / count;
    const towards = Math.abs(lean) > EVEN * Math.max(n[which]![which]!, 0) ** 1.5 ? lean : largest(axis);
    return towards < 0 ? scale(axis, -1) : axis;
  };
  const [x, y] = [signed(order[0]!), signed(order[1]!)];
  return { at, x, y, z: cross(x, y) };
}

const largest = (axis: Vec3): number => axis.reduce((best, part) => (Math.abs(part) > Math.abs(best) + 1e-9 ? part : best), 0);
