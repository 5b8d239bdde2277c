/**
 * Which corners of a skin share a normal. Vertices are split where triangles meet at a crease in the rest shape, so
 * that a box keeps its edges and everything else is smooth. A normal is the area-weighted mean over its triangles,
 * the same sum as the server's; it is taken on the GPU each frame, from the lists made here once.
 */
import type { Model } from '../client/wire';
import { restSkin } from './carrying';
import { type Vec3, cross, dot, length, sub } from '../document/vector';

export interface SmoothSkin {
  /** Corners of triangles as indices of split vertices. */
  index: Uint32Array;
  /** The skin vertex each split vertex stands for. */
  vertexOf: Uint32Array;
  /** Triangles around split vertex i: `ring[2 k]`, `ring[2 k + 1]` are the other two corners, k from start to end. */
  ringStart: Uint32Array;
  ring: Uint32Array;
  /** Whether it has no rim, so that its inside is never seen. */
  closed: boolean;
}

/** Triangles that meet at more than this are drawn with an edge between them. */
const CREASE_DEG = 50;

export function smoothSkin(model: Model): SmoothSkin {
  const rest = restSkin(model);
  const normals = triangleNormals(rest, model.triangles);
  const around = trianglesAround(model);
  const index = new Uint32Array(model.triangles.length);
  const vertexOf: number[] = [];
  const ringStart: number[] = [0];
  const ring: number[] = [];
  for (let vertex = 0; vertex < model.skinVertexCount; vertex++) {
    for (const group of smoothGroups(around[vertex] ?? [], normals, model.triangles, vertex)) {
      const split = vertexOf.length;
      vertexOf.push(vertex);
      for (const triangle of group) {
        const corner = cornerOf(model.triangles, triangle, vertex);
        index[3 * triangle + corner] = split;
        ring.push(
          model.triangles[3 * triangle + ((corner + 1) % 3)]!,
          model.triangles[3 * triangle + ((corner + 2) % 3)]!,
        );
      }
      ringStart.push(ring.length / 2);
    }
  }
  return {
    index,
    vertexOf: Uint32Array.from(vertexOf),
    ringStart: Uint32Array.from(ringStart),
    ring: Uint32Array.from(ring),
    closed: isClosed(model),
  };
}

/**
 * Around a vertex off any rim every neighbour comes once before and once after it, so that the neighbours before and
 * those after have the same sum and sum of squares (exact: integers in doubles).
 */
function isClosed({ triangles, skinVertexCount }: Model): boolean {
  const sums = new Float64Array(2 * skinVertexCount);
  for (let corner = 0; corner < triangles.length; corner++) {
    const base = corner - (corner % 3);
    const next = triangles[base + ((corner + 1) % 3)]!;
    const after = triangles[base + ((corner + 2) % 3)]!;
    sums[2 * triangles[corner]!]! += next - after;
    sums[2 * triangles[corner]! + 1]! += next * next - after * after;
  }
  return sums.every((sum) => sum === 0);
}

function triangleNormals(skin: Float32Array, triangles: Uint32Array): Vec3[] {
  const at = (vertex: number): Vec3 => [skin[3 * vertex]!, skin[3 * vertex + 1]!, skin[3 * vertex + 2]!];
  const normals: Vec3[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [at(triangles[t]!), at(triangles[t + 1]!), at(triangles[t + 2]!)];
    const area = cross(sub(b, a), sub(c, a));
    const size = length(area) || 1;
    normals.push([area[0] / size, area[1] / size, area[2] / size]);
  }
  return normals;
}

function trianglesAround(model: Model): number[][] {
  const around: number[][] = Array.from({ length: model.skinVertexCount }, () => []);
  model.triangles.forEach((vertex, corner) => around[vertex]!.push(Math.floor(corner / 3)));
  return around;
}

/** Triangles around a vertex, grouped by walking over edges that are no crease. */
function smoothGroups(around: number[], normals: Vec3[], triangles: Uint32Array, vertex: number): number[][] {
  const smooth = Math.cos((CREASE_DEG * Math.PI) / 180);
  const groups: number[][] = [];
  const left = new Set(around);
  for (const first of around) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (let next = 0; next < group.length; next++) {
      for (const other of left) {
        const flat = dot(normals[group[next]!]!, normals[other]!) >= smooth;
        if (flat && shareEdgeAt(triangles, group[next]!, other, vertex)) {
          left.delete(other);
          group.push(other);
        }
      }
    }
    groups.push(group);
  }
  return groups;
}

function shareEdgeAt(triangles: Uint32Array, a: number, b: number, vertex: number): boolean {
  for (let corner = 0; corner < 3; corner++) {
    const other = triangles[3 * a + corner]!;
    if (other !== vertex && cornerOf(triangles, b, other) >= 0) return true;
  }
  return false;
}

function cornerOf(triangles: Uint32Array, triangle: number, vertex: number): number {
  for (let corner = 0; corner < 3; corner++) if (triangles[3 * triangle + corner] === vertex) return corner;
  return -1;
}
