// Turns over time, as crates/sinew_math/src/rotation_curve.rs evaluates them (method and paper are named there). Both are held to
// rotationCurve.golden.json.

/** (x, y, z, w). */
export type Quaternion = [number, number, number, number];
type Vector = [number, number, number];

export type RotationKey = { at: number; turn: Quaternion };
type Spun = RotationKey & { spin: Vector };

/** A curve through keys in rising order; before the first and after the last it holds. */
export class RotationCurve {
  private readonly keys: Spun[];

  constructor(keys: RotationKey[]) {
    if (keys.length === 0) throw new Error('a curve needs a key');
    const near: RotationKey[] = [];
    for (const { at, turn } of keys) {
      const unit = normalised(turn);
      const last = near.at(-1);
      const isFar = last !== undefined && dot(last.turn, unit) < 0;
      near.push({ at, turn: isFar ? negated(unit) : unit });
    }
    this.keys = near.map((key, i) => ({ ...key, spin: spinAt(near, i) }));
  }

  /** The turn at a place of the axis. */
  turn(at: number): Quaternion {
    const after = this.keys.findIndex((key) => key.at > at);
    const first = this.keys[0];
    const last = this.keys[this.keys.length - 1];
    if (after === 0 && first) return first.turn;
    const [a, b] = [this.keys[after - 1], this.keys[after]];
    if (a && b) return between(a, b, at);
    return last ? last.turn : [0, 0, 0, 1];
  }
}

/** The mean of the turns to both neighbours, weighted by the other's length. */
function spinAt(keys: RotationKey[], i: number): Vector {
  const [before, key, after] = [keys[i - 1], keys[i], keys[i + 1]];
  if (!key) return [0, 0, 0];
  const rate = (a: RotationKey, b: RotationKey) => scaled(log(times(inverse(a.turn), b.turn)), 1 / (b.at - a.at));
  if (before && after) {
    const [lengthA, lengthB] = [key.at - before.at, after.at - key.at];
    const sum = plus(scaled(rate(before, key), lengthB), scaled(rate(key, after), lengthA));
    return scaled(sum, 1 / (lengthA + lengthB));
  }
  if (before) return rate(before, key);
  return after ? rate(key, after) : [0, 0, 0];
}

function between(a: Spun, b: Spun, at: number): Quaternion {
  const length = b.at - a.at;
  const t = (at - a.at) / length;
  const [first, last] = [scaled(a.spin, length / 3), scaled(b.spin, length / 3)];
  const middle = log(times(times(times(exp(scaled(first, -1)), inverse(a.turn)), b.turn), exp(scaled(last, -1))));
  const s = 1 - t;
  const outer = times(a.turn, exp(scaled(first, 1 - s * s * s)));
  const inner = times(exp(scaled(middle, t * t * (3 - 2 * t))), exp(scaled(last, t * t * t)));
  return normalised(times(outer, inner));
}

function exp(v: Vector): Quaternion {
  const angle = Math.hypot(...v);
  const share = angle < 1e-4 ? 0.5 - (angle * angle) / 48 : Math.sin(0.5 * angle) / angle;
  const [x, y, z] = scaled(v, share);
  return [x, y, z, Math.cos(0.5 * angle)];
}

function log(turn: Quaternion): Vector {
  const [x, y, z, w] = turn[3] < 0 ? negated(turn) : turn;
  const sine = Math.hypot(x, y, z);
  const share = sine < 1e-6 ? 2 + (sine * sine) / 3 : (2 * Math.atan2(sine, w)) / sine;
  return scaled([x, y, z], share);
}

function times([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

const dot = (a: Quaternion, b: Quaternion) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
const inverse = ([x, y, z, w]: Quaternion): Quaternion => [-x, -y, -z, w];
const negated = ([x, y, z, w]: Quaternion): Quaternion => [-x, -y, -z, -w];
const scaled = ([x, y, z]: Vector, by: number): Vector => [x * by, y * by, z * by];
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

function normalised(q: Quaternion): Quaternion {
  const length = Math.hypot(...q);
  return [q[0] / length, q[1] / length, q[2] / length, q[3] / length];
}
