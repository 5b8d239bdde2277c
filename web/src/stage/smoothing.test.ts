import { describe, expect, it } from 'vitest';
import type { Model } from '../client/wire';
import { restSkin, skinVertex } from './carrying';
import { smoothSkin } from './smoothing';

/** Skin vertices are the flesh points themselves. */
function surface(rest: number[][], triangles: number[][]): Model {
  const count = rest.length;
  return {
    id: 0, pointCount: count, skinVertexCount: count,
    rowStart: Uint32Array.from({ length: count + 1 }, (_, i) => i),
    rowPoint: Uint32Array.from({ length: count }, (_, i) => i),
    rowWeight: new Float32Array(count).fill(1),
    triangles: Uint32Array.from(triangles.flat()), rest: Float32Array.from(rest.flat()),
    numbers: Uint32Array.from(rest, (_, point) => point), smooth: null, colours: null, picture: null,
  };
}

/** Two squares that share an edge, folded by an angle. */
function fold(degrees: number): Model {
  const angle = (degrees * Math.PI) / 180;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return surface(
    [[0, 0, 0], [0, 1, 0], [-1, 0, 0], [-1, 1, 0], [c, 0, s], [c, 1, s]],
    [[0, 1, 2], [1, 3, 2], [0, 4, 1], [4, 5, 1]],
  );
}

describe('smoothing', () => {
  it('splits vertices along a crease and nowhere else', () => {
    expect(smoothSkin(fold(30)).vertexOf).toHaveLength(6);
    const sharp = smoothSkin(fold(90));
    expect([...sharp.vertexOf].sort()).toEqual([0, 0, 1, 1, 2, 3, 4, 5]);
  });

  it('keeps every triangle on its own corners', () => {
    const model = fold(90);
    const { index, vertexOf } = smoothSkin(model);
    expect([...index].map((split) => vertexOf[split])).toEqual([...model.triangles]);
  });

  it('lists each corner once, in the ring of its split vertex and in the triangle’s order', () => {
    const model = fold(90);
    const { index, ringStart, ring, vertexOf } = smoothSkin(model);
    expect(ring).toHaveLength(2 * model.triangles.length);
    index.forEach((split, corner) => {
      const base = corner - (corner % 3);
      const next = model.triangles[base + ((corner + 1) % 3)];
      const after = model.triangles[base + ((corner + 2) % 3)];
      const pairs = Array.from({ length: ringStart[split + 1]! - ringStart[split]! }, (_, k) => {
        const at = 2 * (ringStart[split]! + k);
        return `${ring[at]},${ring[at + 1]}`;
      });
      expect(pairs, `corner ${corner} of vertex ${vertexOf[split]}`).toContain(`${next},${after}`);
    });
  });

  it('knows a closed skin from one with a rim', () => {
    const points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const tet = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    expect(smoothSkin(surface(points, tet)).closed).toBe(true);
    expect(smoothSkin(surface(points, tet.slice(1))).closed).toBe(false);
    expect(smoothSkin(fold(10)).closed).toBe(false);
  });

  it('sums rows of any length', () => {
    const model: Model = {
      ...surface([[0, 0, 0], [2, 0, 0], [0, 4, 0]], []),
      skinVertexCount: 2, rowStart: Uint32Array.of(0, 3, 4), rowPoint: Uint32Array.of(0, 1, 2, 1),
      rowWeight: Float32Array.of(0.5, 0.25, 0.25, 1),
    };
    expect([...restSkin(model)]).toEqual([0.5, 1, 0, 2, 0, 0]);
    expect(skinVertex(model, Float32Array.of(0, 0, 8, 0, 0, 0, 0, 0, 0), 0)).toEqual([0, 0, 4]);
  });
});
