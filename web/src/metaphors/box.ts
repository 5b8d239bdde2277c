/** The box about a body's points. */
import { type Vec3, length, sub } from '../document/vector';

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
