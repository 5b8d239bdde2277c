/**
 * Short lines that show a field of directions on a surface: on the skin, and on a section through the body. Directions
 * are known per flesh point in the axes of the rest shape; each line turns with the triangle it lies on.
 */
import { type Vec3, add, cross, dot, length, normalize, scale, sub } from '../document/vector';
import { point } from './skinPicker';

/** Lines across a body's size, about. */
const LINES_ACROSS = 34;

/** Distance between lines on a body of this size. */
export const spacingOf = (sizeM: number): number => sizeM / LINES_ACROSS;

interface Sample {
  corners: [number, number, number];
  flesh: number;
}

export class SurfaceDirections {
  private readonly samples: Sample[];

  /** `fleshNear` says which flesh point speaks for a place of the surface, by its triangle's corners and its rest place. */
  constructor(
    private readonly rest: Float32Array,
    triangles: Uint32Array,
    private readonly spacingM: number,
    fleshNear: (corners: [number, number, number], atRest: Vec3) => number,
  ) {
    this.samples = spreadTriangles(rest, triangles, spacingM).map((t) => {
      const corners = [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!] as [number, number, number];
      return { corners, flesh: fleshNear(corners, centre(rest, corners)) };
    });
  }

  get count(): number {
    return this.samples.length;
  }

  /** Writes six numbers a line into `out` from line `first` on; lines of places that are cut away have no length. */
  write(positions: Float32Array, origin: Vec3, directions: Float32Array, isGone: (corner: number) => boolean, out: Float32Array, first: number): void {
    this.samples.forEach(({ corners, flesh }, i) => {
      const at = add(centre(positions, corners), origin);
      const turned = isGone(corners[0]) ? null : turn(this.rest, positions, corners, point(directions, flesh));
      const half = scale(turned ?? [0, 0, 0], 0.36 * this.spacingM);
      out.set([...sub(at, half), ...add(at, half)], 6 * (first + i));
    });
  }
}

const centre = (of: Float32Array, corners: readonly number[]): Vec3 =>
  scale(corners.reduce<Vec3>((sum, corner) => add(sum, point(of, corner)), [0, 0, 0]), 1 / 3);

/** A direction at rest as it is now, by how edges and normal of its triangle have moved. None on triangles without area. */
function turn(rest: Float32Array, now: Float32Array, corners: readonly number[], direction: Vec3): Vec3 | null {
  const frame = (of: Float32Array): [Vec3, Vec3, Vec3] => {
    const [a, b, c] = corners.map((corner) => point(of, corner)) as [Vec3, Vec3, Vec3];
    const [p, q] = [sub(b, a), sub(c, a)];
    return [p, q, normalize(cross(p, q))];
  };
  const [p, q, n] = frame(rest);
  const [pp, pq, qq] = [dot(p, p), dot(p, q), dot(q, q)];
  const det = pp * qq - pq * pq;
  if (det <= 0) return null;
  const [dp, dq] = [dot(direction, p), dot(direction, q)];
  const [u, v, w] = [(dp * qq - dq * pq) / det, (dq * pp - dp * pq) / det, dot(direction, n)];
  const [p2, q2, n2] = frame(now);
  const moved = add(add(scale(p2, u), scale(q2, v)), scale(n2, w));
  return length(moved) > 1e-12 ? normalize(moved) : null;
}

/** Offsets of triangles whose middles are about `spacingM` apart at rest. */
export function spreadTriangles(rest: Float32Array, triangles: Uint32Array, spacingM: number): number[] {
  const taken = new Map<string, Vec3[]>();
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const at = centre(rest, [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!]);
    const [x, y, z] = at.map((c) => Math.floor(c / spacingM)) as Vec3;
    let free = true;
    for (let i = -1; i <= 1 && free; i++) {
      for (let j = -1; j <= 1 && free; j++) {
        for (let k = -1; k <= 1 && free; k++) {
          free = !taken.get(`${x + i},${y + j},${z + k}`)?.some((other) => length(sub(other, at)) < spacingM);
        }
      }
    }
    if (!free) continue;
    kept.push(t);
    const key = `${x},${y},${z}`;
    taken.set(key, [...(taken.get(key) ?? []), at]);
  }
  return kept;
}
