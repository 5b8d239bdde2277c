/**
 * What lies under the pointer, found on the page: painting asks with every movement of the hand and shows a ring at once.
 * Skins are carried by flesh as the GPU does it; every triangle is tried, in typed arrays (about 1 ms for 40,000).
 */
import type { BodyFlesh, Model } from '../client/wire';
import { type Ray, type Vec3, add, cross, dot, normalize, scale, sub } from '../document/vector';
import { SkinCarrier } from './carrying';

export interface SurfaceHit {
  at: Vec3;
  atRest: Vec3;
  normal: Vec3;
  distanceM: number;
  /** Corners and their weights, to follow the place as the body moves. */
  corners: [number, number, number];
  weights: Vec3;
}

export class SkinPicker {
  private readonly skin: Float32Array;
  private readonly sides: Float32Array;
  private flesh: BodyFlesh | null = null;
  private stale = true;
  private hasSides = false;
  private readonly carrier: SkinCarrier;

  constructor(
    private readonly model: Model,
    private readonly restSkin: Float32Array,
  ) {
    this.carrier = new SkinCarrier(model);
    this.skin = new Float32Array(3 * model.skinVertexCount);
    this.sides = new Float32Array(model.skinVertexCount).fill(-1);
  }

  setFlesh(flesh: BodyFlesh): void {
    this.flesh = flesh;
    this.stale = true;
  }

  /** Per flesh point, positive where the body is cut away. */
  setSides(sides: Float32Array | null): void {
    this.hasSides = sides !== null;
    if (!sides) return;
    const { rowStart, rowPoint, rowWeight, skinVertexCount } = this.model;
    for (let vertex = 0; vertex < skinVertexCount; vertex++) {
      let sum = 0;
      for (let term = rowStart[vertex]!; term < rowStart[vertex + 1]!; term++) sum += rowWeight[term]! * sides[rowPoint[term]!]!;
      this.sides[vertex] = sum;
    }
  }

  /** Skin positions about the origin, as of the last frame. */
  skinNow(): Float32Array {
    if (this.stale && this.flesh) this.sum(this.flesh.positions);
    return this.skin;
  }

  /** Whether a skin vertex is cut away. */
  isGone(vertex: number): boolean {
    return this.hasSides && this.sides[vertex]! > 0;
  }

  /** The nearest place of the skin along the ray that is not cut away. */
  hit(ray: Ray): SurfaceHit | null {
    if (!this.flesh) return null;
    if (this.stale) this.sum(this.flesh.positions);
    const origin = sub(ray.origin, this.flesh.origin);
    const { triangles } = this.model;
    let found: { triangle: number; distance: number; u: number; v: number } | null = null;
    for (let t = 0; t < triangles.length; t += 3) {
      const meets = meet(this.skin, triangles, t, origin, ray.direction);
      if (!meets || (found && meets.distance >= found.distance)) continue;
      if (this.hasSides && this.sideAt(t, meets.u, meets.v) > 0) continue;
      found = { triangle: t, ...meets };
    }
    return found ? this.describe(ray, found) : null;
  }

  /** Where a place of the skin is now. */
  place(corners: readonly number[], weights: Vec3): Vec3 | null {
    if (!this.flesh) return null;
    if (this.stale) this.sum(this.flesh.positions);
    return add(blend(this.skin, corners, weights), this.flesh.origin);
  }

  private describe(ray: Ray, { triangle, distance, u, v }: { triangle: number; distance: number; u: number; v: number }): SurfaceHit {
    const corners = [0, 1, 2].map((i) => this.model.triangles[triangle + i]!) as [number, number, number];
    const weights: Vec3 = [1 - u - v, u, v];
    const [a, b, c] = corners.map((vertex) => point(this.skin, vertex)) as [Vec3, Vec3, Vec3];
    const normal = normalize(cross(sub(b, a), sub(c, a)));
    return {
      at: add(ray.origin, scale(ray.direction, distance)),
      atRest: blend(this.restSkin, corners, weights),
      normal: dot(normal, ray.direction) > 0 ? scale(normal, -1) : normal,
      distanceM: distance,
      corners,
      weights,
    };
  }

  private sideAt(triangle: number, u: number, v: number): number {
    const { triangles } = this.model;
    const [a, b, c] = [this.sides[triangles[triangle]!]!, this.sides[triangles[triangle + 1]!]!, this.sides[triangles[triangle + 2]!]!];
    return a + u * (b - a) + v * (c - a);
  }

  private sum(flesh: Float32Array): void {
    this.stale = false;
    this.carrier.carry(flesh, this.skin);
  }
}

export const point = (of: Float32Array, i: number): Vec3 => [of[3 * i]!, of[3 * i + 1]!, of[3 * i + 2]!];

export const blend = (of: Float32Array, corners: readonly number[], weights: Vec3): Vec3 =>
  corners.reduce<Vec3>((sum, corner, i) => add(sum, scale(point(of, corner), weights[i]!)), [0, 0, 0]);

/** Möller and Trumbore's test, in plain numbers so that nothing is allocated per triangle that is missed. */
export function meet(
  positions: Float32Array, triangles: Uint32Array, t: number, origin: Vec3, direction: Vec3,
): { distance: number; u: number; v: number } | null {
  const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
  const ax = positions[a]!, ay = positions[a + 1]!, az = positions[a + 2]!;
  const px = positions[b]! - ax, py = positions[b + 1]! - ay, pz = positions[b + 2]! - az;
  const qx = positions[c]! - ax, qy = positions[c + 1]! - ay, qz = positions[c + 2]! - az;
  const [dx, dy, dz] = direction;
  const hx = dy * qz - dz * qy, hy = dz * qx - dx * qz, hz = dx * qy - dy * qx;
  const det = px * hx + py * hy + pz * hz;
  if (det === 0) return null;
  const sx = origin[0] - ax, sy = origin[1] - ay, sz = origin[2] - az;
  const u = (sx * hx + sy * hy + sz * hz) / det;
  if (!(u >= 0 && u <= 1)) return null;
  const wx = sy * pz - sz * py, wy = sz * px - sx * pz, wz = sx * py - sy * px;
  const v = (dx * wx + dy * wy + dz * wz) / det;
  if (!(v >= 0 && u + v <= 1)) return null;
  const distance = (qx * wx + qy * wy + qz * wz) / det;
  return distance > 1e-9 ? { distance, u, v } : null;
}
