/**
 * Where flesh carries its skin: the map of `crates/sinew_geom/src/embedding`, so that page and film show the same. A skin vertex that
 * rests at X hangs on the place p = Σ b_k X_k of the flesh, with the weights b of its row, and is at Σ b_k (x_k + F_k (X − ½ p − ½ X_k)).
 * F_k, the gradient of the motion at flesh point k, is the sum of its neighbours' ways from it times their slopes.
 */
import type { Model, SmoothMap } from '../client/wire';
import type { Vec3 } from '../document/vector';

/** Skin positions at rest. */
export function restSkin(model: Model): Float32Array {
  return model.smooth?.restSkin ?? summed(model, model.rest);
}

/** X − ½ p of every skin vertex. */
export function levers(model: Model, { restSkin }: SmoothMap): Float32Array {
  const hung = summed(model, model.rest);
  return restSkin.map((at, i) => at - 0.5 * hung[i]!);
}

/** F of every flesh point, by columns. */
export function stretches(map: SmoothMap, flesh: Float32Array): Float32Array {
  const out = new Float32Array(3 * flesh.length);
  for (let point = 0; 3 * point < flesh.length; point++) addStretch(map, flesh, point, out, 9 * point);
  return out;
}

function addStretch({ start, point, slope }: SmoothMap, flesh: Float32Array, of: number, out: Float32Array, at: number): void {
  for (let k = start[of]!; k < start[of + 1]!; k++) {
    for (let axis = 0; axis < 3; axis++) {
      const way = flesh[3 * point[k]! + axis]! - flesh[3 * of + axis]!;
      for (let column = 0; column < 3; column++) out[at + 3 * column + axis]! += way * slope[3 * k + column]!;
    }
  }
}

/** All of a skin, where the flesh is at `flesh`. */
export class SkinCarrier {
  private readonly levers: Float32Array | null;

  constructor(private readonly model: Model) {
    this.levers = model.smooth && levers(model, model.smooth);
  }

  carry(flesh: Float32Array, skin: Float32Array): void {
    const { model, levers } = this;
    if (!model.smooth || !levers) return sum(model, flesh, skin);
    const stretch = stretches(model.smooth, flesh);
    const { rowStart, rowPoint, rowWeight, skinVertexCount, rest } = model;
    for (let vertex = 0; vertex < skinVertexCount; vertex++) {
      let [x, y, z] = [0, 0, 0];
      for (let term = rowStart[vertex]!; term < rowStart[vertex + 1]!; term++) {
        const [from, weight] = [3 * rowPoint[term]!, rowWeight[term]!];
        const f = 3 * from;
        const i = levers[3 * vertex]! - 0.5 * rest[from]!;
        const j = levers[3 * vertex + 1]! - 0.5 * rest[from + 1]!;
        const k = levers[3 * vertex + 2]! - 0.5 * rest[from + 2]!;
        x += weight * (flesh[from]! + stretch[f]! * i + stretch[f + 3]! * j + stretch[f + 6]! * k);
        y += weight * (flesh[from + 1]! + stretch[f + 1]! * i + stretch[f + 4]! * j + stretch[f + 7]! * k);
        z += weight * (flesh[from + 2]! + stretch[f + 2]! * i + stretch[f + 5]! * j + stretch[f + 8]! * k);
      }
      skin[3 * vertex] = x;
      skin[3 * vertex + 1] = y;
      skin[3 * vertex + 2] = z;
    }
  }
}

/** One skin vertex where the flesh is at `flesh`. */
export function skinVertex(model: Model, flesh: Float32Array, vertex: number): Vec3 {
  const { smooth, rowStart, rowPoint, rowWeight, rest } = model;
  const at: Vec3 = [0, 0, 0];
  const [from, to] = [rowStart[vertex]!, rowStart[vertex + 1]!];
  const hung: Vec3 = [0, 0, 0];
  for (let term = from; term < to; term++) {
    for (let axis = 0; axis < 3; axis++) hung[axis]! += rowWeight[term]! * rest[3 * rowPoint[term]! + axis]!;
  }
  const stretch = new Float32Array(9);
  for (let term = from; term < to; term++) {
    const [weight, point] = [rowWeight[term]!, rowPoint[term]!];
    stretch.fill(0);
    if (smooth) addStretch(smooth, flesh, point, stretch, 0);
    for (let axis = 0; axis < 3; axis++) {
      let moved = flesh[3 * point + axis]!;
      for (let column = 0; smooth && column < 3; column++) {
        const arm = smooth.restSkin[3 * vertex + column]! - 0.5 * hung[column]! - 0.5 * rest[3 * point + column]!;
        moved += stretch[3 * column + axis]! * arm;
      }
      at[axis]! += weight * moved;
    }
  }
  return at;
}

function summed(model: Model, flesh: Float32Array): Float32Array {
  const skin = new Float32Array(3 * model.skinVertexCount);
  sum(model, flesh, skin);
  return skin;
}

/** The rows alone. */
function sum({ rowStart, rowPoint, rowWeight, skinVertexCount }: Model, flesh: Float32Array, skin: Float32Array): void {
  for (let vertex = 0; vertex < skinVertexCount; vertex++) {
    let [x, y, z] = [0, 0, 0];
    for (let term = rowStart[vertex]!; term < rowStart[vertex + 1]!; term++) {
      const [from, weight] = [3 * rowPoint[term]!, rowWeight[term]!];
      x += weight * flesh[from]!;
      y += weight * flesh[from + 1]!;
      z += weight * flesh[from + 2]!;
    }
    skin[3 * vertex] = x;
    skin[3 * vertex + 1] = y;
    skin[3 * vertex + 2] = z;
  }
}
