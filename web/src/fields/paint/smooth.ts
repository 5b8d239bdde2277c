/**
 * Smoothing: a stroke that paints what the field is already, averaged under the ring. Along the line the averages run from
 * number to number, so a hard step that the line crosses becomes a slope as long as the line.
 */
import { type Vec3, length, sub } from '../../document/vector';
import type { PaintJson } from '../paints';

/** Values per flesh point, at their places in the rest shape. */
export interface Sampled {
  rest: ArrayLike<number>;
  values: ArrayLike<number>;
}

/** Slopes whose averages are this near to a straight run, as a share of the field's range, are one stroke. */
const STRAIGHT = 0.04;

export function smoothed(line: readonly Vec3[], radiusM: number, { rest, values }: Sampled, range: { size: number; isFactor: boolean }): PaintJson[] {
  if (line.length < 2) return [];
  // Factors are averaged by their logarithms, as they are spread.
  const field = { rest, values: range.isFactor ? Array.from(values, (value) => Math.log10(Math.max(value, 1e-6))) : values };
  const averages = line.map((place) => averageAbout(place, radiusM, field));
  const along = [0];
  for (let i = 1; i < line.length; i++) along.push(along[i - 1]! + length(sub(line[i]!, line[i - 1]!)));
  const number = (average: number): number => (range.isFactor ? Number((10 ** average).toPrecision(3)) : Math.round(average * 1e3) / 1e3);
  const corners = cornersOf(along, averages, STRAIGHT * (range.isFactor ? 4 : range.size));
  return corners.slice(1).map((end, i) => {
    const start = corners[i]!;
    return { stroke: line.slice(start, end + 1), value: number(averages[start]!), to: number(averages[end]!) };
  });
}

/** Weighs less towards the ring; the nearest point alone where the ring holds none. */
function averageAbout(place: Vec3, radiusM: number, { rest, values }: Sampled): number {
  let [sum, weights, nearest, least] = [0, 0, 0, Infinity];
  for (let point = 0; point < values.length; point++) {
    const away = Math.hypot(rest[3 * point]! - place[0], rest[3 * point + 1]! - place[1], rest[3 * point + 2]! - place[2]);
    if (away < least) [nearest, least] = [point, away];
    const weight = Math.max(0, 1 - (away / radiusM) ** 2);
    sum += weight * values[point]!;
    weights += weight;
  }
  return weights > 0 ? sum / weights : values[nearest]!;
}

/** The places where a run of values bends: both ends, and what lies farthest off the straight between them, and so on. */
function cornersOf(along: readonly number[], values: readonly number[], tolerance: number): number[] {
  const between = (from: number, to: number): number[] => {
    let [worst, off] = [from, tolerance];
    for (let i = from + 1; i < to; i++) {
      const share = (along[i]! - along[from]!) / (along[to]! - along[from]! || 1);
      const away = Math.abs(values[i]! - values[from]! - share * (values[to]! - values[from]!));
      if (away > off) [worst, off] = [i, away];
    }
    return worst === from ? [] : [...between(from, worst), worst, ...between(worst, to)];
  };
  return [0, ...between(0, values.length - 1), values.length - 1];
}
