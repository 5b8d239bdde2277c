/**
 * Reads the server's binary messages. The layout is described in `crates/sinew_studio/src/wire.rs`; every length and
 * index is checked here, so that what follows may trust them.
 */
import { LOOKS, WIRE_VERSION } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import { Reader, WireError } from './reader';

export { WireError } from './reader';

/** What is needed once to make skin from flesh: a skin vertex hangs on the weighted sum of its row's flesh points. */
export interface Model {
  id: number;
  pointCount: number;
  skinVertexCount: number;
  rowStart: Uint32Array;
  rowPoint: Uint32Array;
  rowWeight: Float32Array;
  triangles: Uint32Array;
  rest: Float32Array;
  /** How skin follows flesh smoothly; none where a skin vertex is the sum of its row. */
  smooth: SmoothMap | null;
  /** What sets of a scene call each point. */
  numbers: Uint32Array;
  /** Red, green, blue and 255 per skin vertex, as a screen shows them; none where the body has one colour. */
  colours: Uint8Array | null;
  /** A picture on the skin, which its file brought; none where it has none. */
  picture: SkinPicture | null;
}

/** See `carrying.ts`. */
export interface SmoothMap {
  /** Neighbours of flesh point i, and three numbers of slope for each, from start[i] to start[i + 1]. */
  start: Uint32Array;
  point: Uint32Array;
  slope: Float32Array;
  /** Where the skin rests. */
  restSkin: Float32Array;
}

export interface SkinPicture {
  width: number;
  height: number;
  /** Two numbers for each corner of each triangle: from 0 to 1 to the right, and from the top down. */
  uvs: Float32Array;
  /** Red, green, blue and 255, row by row from the top. */
  pixels: Uint8Array;
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

/** What there is to see of a body, one word of `LOOKS`. */
export type LookWord = (typeof LOOKS)[number];

/** Values of a body, one entry (of one or three numbers) per flesh point. */
export interface Field {
  body: number;
  look: LookWord;
  frame: number;
  components: 1 | 3;
  /** The range a colour map should span. */
  low: number;
  high: number;
  values: Float32Array;
}

/** A cut through a body. */
export interface Section {
  body: number;
  frame: number;
  pointCount: number;
  /** Three numbers a point: where it is now, and where it is in the rest shape. */
  world: Float32Array;
  rest: Float32Array;
  /** What is looked at, at each point; NaN where nothing is. */
  values: Float32Array;
  /** Of the cut itself. */
  triangles: Uint32Array;
  /** Per flesh point, metres from the cut: what is positive is taken away. Spread over the skin it says what to hide. */
  side: Float32Array;
}

/** A key shape of a body where it is drawn. */
export interface ShownKey {
  /** Among those that are shown. */
  place: number;
  count: number;
  body: number;
  /** The director's place in its body's list, and the key's in the director's. */
  director: number;
  key: number;
  frame: number;
  /** Per cent of the body's size that the simulated body was off at the key's frame; NaN where it is not known. */
  residual: number;
  origin: Vec3;
  /** How it is turned from its own axes, a quaternion (x, y, z, w). */
  turn: [number, number, number, number];
  /** Metres about the origin, in the world's axes. */
  positions: Float32Array;
}

export type Message =
  | { kind: 'model'; model: Model }
  | { kind: 'frame'; frame: Frame }
  | { kind: 'field'; field: Field }
  | { kind: 'section'; section: Section }
  | { kind: 'take'; frame: Frame }
  /** A ghost that is on its way gives its place to the next. */
  | { kind: 'ghost'; frame: Frame; isOnItsWay: boolean }
  | { kind: 'key'; key: ShownKey | null };

const KINDS = ['model', 'frame', 'field', 'section', 'take', 'ghost', 'key'] as const;

export function readMessage(buffer: ArrayBuffer): Message {
  const reader = new Reader(buffer);
  const version = reader.u8();
  if (version !== WIRE_VERSION) throw new WireError(`version ${version}, expected ${WIRE_VERSION}`);
  const number = reader.u8();
  const flag = reader.u8();
  reader.skip(1);
  const kind = KINDS[number - 1];
  switch (kind) {
    case 'model':
      return { kind, model: readModel(reader) };
    case 'frame':
    case 'take':
      return { kind, frame: readFrame(reader) };
    case 'ghost':
      return { kind, frame: readFrame(reader), isOnItsWay: flag === 1 };
    case 'field':
      return { kind, field: readField(reader) };
    case 'section':
      return { kind, section: readSection(reader) };
    case 'key':
      return { kind, key: readKey(reader) };
    default:
      throw new WireError(`unknown kind ${number}`);
  }
}

function readModel(reader: Reader): Model {
  const [id, pointCount, skinVertexCount, termCount, triangleCount, colourCount, width, height, slopeCount] =
    [0, 0, 0, 0, 0, 0, 0, 0, 0].map(() => reader.u32()) as [number, number, number, number, number, number, number, number, number];
  const rowStart = reader.u32s(skinVertexCount + 1);
  const rowPoint = reader.u32s(termCount);
  const rowWeight = reader.f32s(termCount);
  const triangles = reader.u32s(3 * triangleCount);
  const rest = reader.f32s(3 * pointCount);
  const numbers = reader.u32s(pointCount);
  const colours = colourCount > 0 ? reader.u8s(4 * colourCount) : null;
  const smooth = slopeCount > 0 ? readSmooth(reader, pointCount, skinVertexCount, slopeCount) : null;
  const picture = width * height > 0 ? { width, height, uvs: reader.f32s(6 * triangleCount), pixels: reader.u8s(4 * width * height) } : null;
  reader.expectEnd();
  for (let row = 0; row < skinVertexCount; row++) {
    if (rowStart[row]! > rowStart[row + 1]!) throw new WireError(`row ${row} ends before it starts`);
  }
  if (rowStart[0] !== 0 || rowStart[skinVertexCount] !== termCount) throw new WireError('rows do not cover all terms');
  if (rowPoint.some((point) => point >= pointCount)) throw new WireError('a row names a point that is not there');
  if (triangles.some((vertex) => vertex >= skinVertexCount)) throw new WireError('a triangle names a missing vertex');
  if (colours && colourCount !== skinVertexCount) throw new WireError(`${colourCount} colours, expected ${skinVertexCount}`);
  return { id, pointCount, skinVertexCount, rowStart, rowPoint, rowWeight, triangles, rest, smooth, numbers, colours, picture };
}

function readSmooth(reader: Reader, pointCount: number, skinVertexCount: number, slopeCount: number): SmoothMap {
  const start = reader.u32s(pointCount + 1);
  const point = reader.u32s(slopeCount);
  const slope = reader.f32s(3 * slopeCount);
  const restSkin = reader.f32s(3 * skinVertexCount);
  for (let i = 0; i < pointCount; i++) {
    if (start[i]! > start[i + 1]!) throw new WireError(`slopes of point ${i} end before they start`);
  }
  if (start[0] !== 0 || start[pointCount] !== slopeCount) throw new WireError('points do not cover all slopes');
  if (point.some((neighbour) => neighbour >= pointCount)) throw new WireError('a slope names a point that is not there');
  return { start, point, slope, restSkin };
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

function readField(reader: Reader): Field {
  const body = reader.u32();
  const number = reader.u32();
  const frame = reader.i32();
  const components = reader.u32();
  const points = reader.u32();
  const low = reader.f32();
  const high = reader.f32();
  const look = LOOKS[number];
  if (look === undefined) throw new WireError(`unknown look ${number}`);
  if (components !== 1 && components !== 3) throw new WireError(`${components} components, expected 1 or 3`);
  const values = reader.f32s(components * points);
  reader.expectEnd();
  return { body, look, frame, components, low, high, values };
}

/** None says that there are none. */
function readKey(reader: Reader): ShownKey | null {
  const [place, count] = [reader.u32(), reader.u32()];
  if (count === 0) {
    reader.expectEnd();
    return null;
  }
  if (place >= count) throw new WireError(`key ${place} of ${count}`);
  const [body, director, key] = [reader.u32(), reader.u32(), reader.u32()];
  const residual = reader.f32();
  const frame = reader.f64();
  const origin: Vec3 = [reader.f64(), reader.f64(), reader.f64()];
  const turn: ShownKey['turn'] = [reader.f64(), reader.f64(), reader.f64(), reader.f64()];
  const points = reader.u32();
  reader.skip(4);
  const positions = reader.f32s(3 * points);
  reader.expectEnd();
  return { place, count, body, director, key, frame, residual, origin, turn, positions };
}

function readSection(reader: Reader): Section {
  const body = reader.u32();
  const frame = reader.i32();
  const pointCount = reader.u32();
  const triangleCount = reader.u32();
  const sideCount = reader.u32();
  const points = reader.f32s(7 * pointCount);
  const triangles = reader.u32s(3 * triangleCount);
  const side = reader.f32s(sideCount);
  reader.expectEnd();
  if (triangles.some((point) => point >= pointCount)) throw new WireError('a triangle names a missing point');
  const [world, rest] = [new Float32Array(3 * pointCount), new Float32Array(3 * pointCount)];
  const values = new Float32Array(pointCount);
  for (let point = 0; point < pointCount; point++) {
    world.set(points.subarray(7 * point, 7 * point + 3), 3 * point);
    rest.set(points.subarray(7 * point + 3, 7 * point + 6), 3 * point);
    values[point] = points[7 * point + 6]!;
  }
  return { body, frame, pointCount, world, rest, values, triangles, side };
}
