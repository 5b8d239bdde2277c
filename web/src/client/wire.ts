/**
 * Reads the server's binary messages. The layout is described in `crates/sinew_studio/src/wire.rs`; every length and
 * index is checked here, so that what follows may trust them.
 */
import { WIRE_VERSION } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';

/** What is needed once to make skin from flesh: a skin vertex is the weighted sum of its row's flesh points. */
export interface Model {
  id: number;
  pointCount: number;
  skinVertexCount: number;
  rowStart: Uint32Array;
  rowPoint: Uint32Array;
  rowWeight: Float32Array;
  triangles: Uint32Array;
  rest: Float32Array;
}

export interface BodyFlesh {
  origin: Vec3;
  /** Metres about the origin, three numbers a point. */
  positions: Float32Array;
}

export interface Pose {
  at: Vec3;
  /** A quaternion (x, y, z, w). */
  turn: [number, number, number, number];
}

export interface Frame {
  frame: number;
  tick: number;
  stepMs: number;
  bodies: BodyFlesh[];
  obstacles: Pose[];
}

export type Message = { kind: 'model'; model: Model } | { kind: 'frame'; frame: Frame };

export class WireError extends Error {}

const MODEL = 1;
const FRAME = 2;

export function readMessage(buffer: ArrayBuffer): Message {
  const reader = new Reader(buffer);
  const version = reader.u8();
  if (version !== WIRE_VERSION) throw new WireError(`version ${version}, expected ${WIRE_VERSION}`);
  const kind = reader.u8();
  reader.skip(2);
  if (kind === MODEL) return { kind: 'model', model: readModel(reader) };
  if (kind === FRAME) return { kind: 'frame', frame: readFrame(reader) };
  throw new WireError(`unknown kind ${kind}`);
}

function readModel(reader: Reader): Model {
  const [id, pointCount, skinVertexCount, termCount, triangleCount] = [0, 0, 0, 0, 0].map(() => reader.u32()) as [
    number, number, number, number, number,
  ];
  const rowStart = reader.u32s(skinVertexCount + 1);
  const rowPoint = reader.u32s(termCount);
  const rowWeight = reader.f32s(termCount);
  const triangles = reader.u32s(3 * triangleCount);
  const rest = reader.f32s(3 * pointCount);
  reader.expectEnd();
  for (let row = 0; row < skinVertexCount; row++) {
    if (rowStart[row]! > rowStart[row + 1]!) throw new WireError(`row ${row} ends before it starts`);
  }
  if (rowStart[0] !== 0 || rowStart[skinVertexCount] !== termCount) throw new WireError('rows do not cover all terms');
  if (rowPoint.some((point) => point >= pointCount)) throw new WireError('a row names a point that is not there');
  if (triangles.some((vertex) => vertex >= skinVertexCount)) throw new WireError('a triangle names a missing vertex');
  return { id, pointCount, skinVertexCount, rowStart, rowPoint, rowWeight, triangles, rest };
}

function readFrame(reader: Reader): Frame {
  const frame = reader.i32();
  const tick = reader.u64();
  const stepMs = reader.f32();
  const bodyCount = reader.u32();
  const obstacleCount = reader.u32();
  reader.skip(4);
  const obstacles: Pose[] = [];
  for (let obstacle = 0; obstacle < obstacleCount; obstacle++) {
    const at: Vec3 = [reader.f64(), reader.f64(), reader.f64()];
    obstacles.push({ at, turn: [reader.f64(), reader.f64(), reader.f64(), reader.f64()] });
  }
  const bodies: BodyFlesh[] = [];
  for (let body = 0; body < bodyCount; body++) {
    const origin: Vec3 = [reader.f64(), reader.f64(), reader.f64()];
    const points = reader.u32();
    reader.skip(4);
    bodies.push({ origin, positions: reader.f32s(3 * points) });
    reader.align(8);
  }
  reader.expectEnd();
  return { frame, tick, stepMs, bodies, obstacles };
}

/** Reads little-endian values one after the other and never past the end. */
class Reader {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
  }

  private take(bytes: number): number {
    const at = this.at;
    if (at + bytes > this.buffer.byteLength) {
      throw new WireError(`${this.buffer.byteLength} bytes, expected at least ${at + bytes}`);
    }
    this.at = at + bytes;
    return at;
  }

  u8 = (): number => this.view.getUint8(this.take(1));
  i32 = (): number => this.view.getInt32(this.take(4), true);
  u32 = (): number => this.view.getUint32(this.take(4), true);
  u64 = (): number => Number(this.view.getBigUint64(this.take(8), true));
  f32 = (): number => this.view.getFloat32(this.take(4), true);
  f64 = (): number => this.view.getFloat64(this.take(8), true);
  u32s = (count: number): Uint32Array => new Uint32Array(this.buffer, this.take(4 * count), count);
  f32s = (count: number): Float32Array => new Float32Array(this.buffer, this.take(4 * count), count);
  skip = (bytes: number): void => void this.take(bytes);
  align = (to: number): void => void this.take((to - (this.at % to)) % to);

  expectEnd(): void {
    if (this.at !== this.buffer.byteLength) {
      throw new WireError(`${this.buffer.byteLength - this.at} bytes are left over`);
    }
  }
}
