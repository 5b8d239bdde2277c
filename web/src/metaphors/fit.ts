/** The rotation that brings a rest shape nearest to the present one (Horn 1987), by Jacobi's method as the engine has it. */
import { type Vec3, cross, add, scale } from '../document/vector';

/** A quaternion (x, y, z, w). */
export type Turn = [number, number, number, number];

export function turned([x, y, z, w]: Turn, v: Vec3): Vec3 {
  const q: Vec3 = [x, y, z];
  const t = scale(cross(q, v), 2);
  return add(add(v, scale(t, w)), cross(q, t));
}

export const inverse = ([x, y, z, w]: Turn): Turn => [-x, -y, -z, w];

/** Three numbers a point. All points weigh the same: the page knows no masses. */
export function bestFit(rest: Float32Array, now: Float32Array): Turn {
  const count = Math.min(rest.length, now.length) / 3;
  const [a, b] = [centre(rest, count), centre(now, count)];
  const m = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    for (let row = 0; row < 3; row++) {
      const to = now[3 * i + row]! - b[row]!;
      for (let column = 0; column < 3; column++) m[3 * row + column]! += to * (rest[3 * i + column]! - a[column]!);
    }
  }
  return nearestTurn(m);
}

function centre(of: Float32Array, count: number): Vec3 {
  const sum: Vec3 = [0, 0, 0];
  for (let i = 0; i < 3 * count; i++) sum[i % 3]! += of[i]!;
  return scale(sum, 1 / Math.max(1, count));
}

/** Of a 3 × 3 matrix by rows, Σ now · restᵀ. */
export function nearestTurn(m: readonly number[]): Turn {
  const at = (row: number, column: number): number => m[3 * row + column]!;
  const [xx, yy, zz] = [at(0, 0), at(1, 1), at(2, 2)];
  const [wx, wy, wz] = [at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)];
  const [xy, yz, zx] = [at(0, 1) + at(1, 0), at(1, 2) + at(2, 1), at(2, 0) + at(0, 2)];
  const n = [
    [xx + yy + zz, wx, wy, wz],
    [wx, xx - yy - zz, xy, zx],
    [wy, xy, yy - xx - zz, yz],
    [wz, zx, yz, zz - xx - yy],
  ];
  const q = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i === j ? 1 : 0)));
  diagonalise(n, q);
  let best = 0;
  for (let j = 1; j < 4; j++) if (n[j]![j]! > n[best]![best]!) best = j;
  const [w, x, y, z] = [0, 1, 2, 3].map((i) => q[i]![best]!) as Turn;
  const sign = w < 0 ? -1 : 1;
  return [sign * x, sign * y, sign * z, sign * w];
}

/** Cyclic Jacobi rotations: `n` becomes diagonal, the columns of `q` its eigenvectors. */
export function diagonalise(n: number[][], q: number[][]): void {
  const size = n.length;
  for (let sweep = 0; sweep < 30; sweep++) {
    let rest = 0;
    for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) rest += n[i]![j]! ** 2;
    if (rest < 1e-60) return;
    for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) rotate(n, q, i, j);
  }
}

function rotate(n: number[][], q: number[][], i: number, j: number): void {
  const off = n[i]![j]!;
  if (off === 0) return;
  const theta = (n[j]![j]! - n[i]![i]!) / (2 * off);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  for (let k = 0; k < n.length; k++) {
    const [a, b] = [n[k]![i]!, n[k]![j]!];
    n[k]![i] = c * a - s * b;
    n[k]![j] = s * a + c * b;
  }
  for (let k = 0; k < n.length; k++) {
    const [a, b] = [n[i]![k]!, n[j]![k]!];
    n[i]![k] = c * a - s * b;
    n[j]![k] = s * a + c * b;
  }
  for (const row of q) {
    const [a, b] = [row[i]!, row[j]!];
    row[i] = c * a - s * b;
    row[j] = s * a + c * b;
  }
}
