/** Sets of flesh points, as scenes say them: which points one holds, and where those lie. */
import type { Model } from '../client/wire';
import { type Json, isTable } from '../document/scene';
import { type Vec3, dot, length, scale, sub } from '../document/vector';

/** How far from the middle, as a share of half the body's size that way, points lie at one end of it. */
const AT_AN_END = 0.35;

/** How many points these are and at which end of the body at rest: `12 points, top`. */
export function whereabouts(points: readonly number[], { rest, pointCount }: Pick<Model, 'rest' | 'pointCount'>): string {
  const many = `${points.length} ${points.length === 1 ? 'point' : 'points'}`;
  if (points.length === 0) return many;
  if (points.length === pointCount) return 'everything';
  const ends = [0, 1, 2].map((axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (let point = 0; point < pointCount; point++) {
      low = Math.min(low, rest[3 * point + axis]!);
      high = Math.max(high, rest[3 * point + axis]!);
    }
    const mean = points.reduce((sum, point) => sum + rest[3 * point + axis]!, 0) / points.length;
    return { offM: mean - (low + high) / 2, halfM: (high - low) / 2 };
  });
  const axis = [0, 1, 2].reduce((far, next) => (Math.abs(ends[next]!.offM) > Math.abs(ends[far]!.offM) ? next : far));
  const { offM, halfM } = ends[axis]!;
  if (Math.abs(offM) < AT_AN_END * halfM) return `${many}, middle`;
  return `${many}, ${(offM > 0 ? ['right', 'top', 'front'] : ['left', 'bottom', 'back'])[axis]}`;
}

/** Which flesh points a set holds, by the same rules as the stage (`sinew_bake/src/build/sets.rs`). */
export function pointsOf(set: Json | undefined, model: Model): number[] {
  if (!isTable(set)) return [];
  const all = Array.from({ length: model.pointCount }, (_, point) => point);
  const at = (point: number, axis: number): number => model.rest[3 * point + axis]!;
  if (set.all === true) return all;
  if (Array.isArray(set.vertices)) {
    const wanted = new Set(set.vertices.map(Number));
    return all.filter((point) => wanted.has(model.numbers[point]!));
  }
  if (isTable(set.box) && Array.isArray(set.box.min) && Array.isArray(set.box.max)) {
    const [min, max] = [set.box.min.map(Number), set.box.max.map(Number)];
    return all.filter((point) => [0, 1, 2].every((axis) => at(point, axis) >= min[axis]! && at(point, axis) <= max[axis]!));
  }
  if (isTable(set.sphere) && Array.isArray(set.sphere.centre)) {
    const [centre, radius] = [set.sphere.centre.map(Number), Number(set.sphere.radius)];
    return all.filter((point) => Math.hypot(...[0, 1, 2].map((axis) => at(point, axis) - centre[axis]!)) <= radius);
  }
  if (Array.isArray(set.strokes)) {
    const lines = set.strokes.map((line) => (Array.isArray(line) ? line : []).map((place) => (place as Json[]).map(Number) as Vec3));
    const radius = Number(set.radius);
    return all.filter((point) => lines.some((line) => awayFromLine(line, [at(point, 0), at(point, 1), at(point, 2)]) <= radius));
  }
  if (typeof set.side === 'string') {
    const axis = 'xyz'.indexOf(set.side.replace('-', ''));
    const [low, high] = all.reduce(([least, most], point) => [Math.min(least, at(point, axis)), Math.max(most, at(point, axis))], [Infinity, -Infinity]);
    const within = (Number(set.within ?? 0.02) + 1e-6) * (high - low);
    return all.filter((point) => (set.side === `-${'xyz'[axis]}` ? at(point, axis) - low : high - at(point, axis)) <= within);
  }
  return [];
}

/** How far a place is from a polyline. */
function awayFromLine(line: readonly Vec3[], place: Vec3): number {
  if (line.length === 1) return length(sub(place, line[0]!));
  let least = Infinity;
  for (let i = 0; i + 1 < line.length; i++) {
    const [from, piece] = [sub(place, line[i]!), sub(line[i + 1]!, line[i]!)];
    const t = Math.min(1, Math.max(0, dot(from, piece) / Math.max(dot(piece, piece), Number.MIN_VALUE)));
    least = Math.min(least, length(sub(from, scale(piece, t))));
  }
  return least;
}
