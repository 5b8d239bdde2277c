/**
 * A dense skin with fewer triangles, for pictures that have to be drawn fast: vertices that lie in one cell of a grid over the
 * rest shape become one (Rossignac and Borrel 1993), and triangles that are left without area go.
 */

/** Cells along the longest side of the skin: finer than the pixels of a coarse picture. */
const CELLS = 64;
/** A skin of fewer triangles is drawn whole. */
const DENSE = 20_000;

/** Corners of the coarse skin among the split vertices of `index`; `index` itself where that is not dense. */
export function coarseIndex(index: Uint32Array, vertexOf: Uint32Array, rest: Float32Array): Uint32Array {
  if (index.length < 3 * DENSE) return index;
  const { low, cell } = gridOver(rest);
  const first = new Map<number, number>();
  const standIn = new Uint32Array(vertexOf.length);
  vertexOf.forEach((vertex, split) => {
    const [x, y, z] = [0, 1, 2].map((axis) => Math.floor((rest[3 * vertex + axis]! - low[axis]!) / cell));
    const key = x! + (CELLS + 1) * (y! + (CELLS + 1) * z!);
    if (!first.has(key)) first.set(key, split);
    standIn[split] = first.get(key)!;
  });
  const coarse: number[] = [];
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [standIn[index[t]!]!, standIn[index[t + 1]!]!, standIn[index[t + 2]!]!];
    if (a !== b && b !== c && c !== a) coarse.push(a, b, c);
  }
  return Uint32Array.from(coarse);
}

function gridOver(rest: Float32Array): { low: number[]; cell: number } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  rest.forEach((at, i) => {
    low[i % 3] = Math.min(low[i % 3]!, at);
    high[i % 3] = Math.max(high[i % 3]!, at);
  });
  return { low, cell: Math.max(1e-9, ...high.map((top, axis) => top - low[axis]!)) / CELLS };
}
