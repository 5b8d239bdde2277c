/**
 * Wiggly splines, as crates/sinew_math/src/wiggly.rs evaluates them (method and paper are named there). Both are held to
 * wiggly.golden.json.
 */
export interface Wiggle {
  /** Of the undamped swing, in units of the axis. */
  period: number;
  /** 0 swings for ever, 1 comes back without a swing. */
  damping: number;
}

export interface Place {
  at: number;
  value: number;
}

type State = readonly [x: number, v: number];
type Matrix = readonly [number, number, number, number];

/** Φ, by which the free oscillator moves, and the Gramian W, over a time. */
interface Way {
  phi: Matrix;
  gram: Matrix;
}

export class Wiggly {
  private readonly speed: readonly number[];
  private readonly pull: readonly State[];

  /** Through places in rising order. `closing` is the way from the last of them to the first of the next period. */
  constructor(private readonly wiggle: Wiggle, private readonly places: readonly Place[], closing: number | null) {
    const n = places.length;
    const spans = places.slice(1).map(({ at }, i) => at - places[i]!.at);
    if (closing !== null) spans.push(closing);
    const ways = spans.map((span) => wayOver(span, wiggle));
    const system = new Tridiagonal(n);
    ways.forEach((way, i) => system.add(i, (i + 1) % n, way, places[i]!.value, places[(i + 1) % n]!.value));
    this.speed = system.solve(closing !== null);
    const state = (i: number): State => [places[i % n]!.value, this.speed[i % n]!];
    this.pull = ways.map((way, i) => pullOf(way, state(i), state(i + 1)));
  }

  /** The value `after` the key of this number, `span` before the next. */
  between(key: number, after: number, span: number): number {
    const way = wayOver(after, this.wiggle);
    const pull = turned(wayOver(span - after, this.wiggle).phi, this.pull[key]!);
    return times(way.phi, [this.places[key]!.value, this.speed[key]!])[0] + times(way.gram, pull)[0];
  }

  /** The value so long after the last key: it swings on. */
  beyond(after: number): number {
    const last = this.places.length - 1;
    return times(wayOver(after, this.wiggle).phi, [this.places[last]!.value, this.speed[last]!])[0];
  }
}

/** The Taylor series is used up to this share of the oscillator's time. */
const SHORT = 1 / 16;
const MOST_DOUBLINGS = 64;
/** Gauss–Legendre on 0 to 1, five points. */
const NODES = [
  [0.046910077030668, 0.11846344252809455],
  [0.23076534494715845, 0.23931433524968324],
  [0.5, 0.28444444444444445],
  [0.7692346550528415, 0.23931433524968324],
  [0.953089922969332, 0.11846344252809455],
] as const;

function wayOver(time: number, { period, damping }: Wiggle): Way {
  const omega = (2 * Math.PI) / period;
  const rate = omega * Math.max(2 * damping, 1);
  let [short, doublings] = [time, 0];
  while (short * rate > SHORT && doublings < MOST_DOUBLINGS) {
    short *= 0.5;
    doublings += 1;
  }
  let way = shortWay(short, omega, damping);
  for (let i = 0; i < doublings; i++) {
    const { phi, gram } = way;
    const moved = product(product(phi, gram), [phi[0], phi[2], phi[1], phi[3]]);
    way = { phi: product(phi, phi), gram: [gram[0] + moved[0], gram[1] + moved[1], gram[2] + moved[2], gram[3] + moved[3]] };
  }
  return way;
}

function shortWay(time: number, omega: number, damping: number): Way {
  const generator: Matrix = [0, 1, -omega * omega, -2 * damping * omega];
  const phi = (secs: number): Matrix => {
    let [sum, term]: [Matrix, Matrix] = [[1, 0, 0, 1], [1, 0, 0, 1]];
    for (let power = 1; power <= 10; power++) {
      const [a, b, c, d] = product(term, generator);
      term = [(a * secs) / power, (b * secs) / power, (c * secs) / power, (d * secs) / power];
      sum = [sum[0] + term[0], sum[1] + term[1], sum[2] + term[2], sum[3] + term[3]];
    }
    return sum;
  };
  let [xx, xv, vv] = [0, 0, 0];
  for (const [node, share] of NODES) {
    const [, x, , v] = phi(node * time);
    const weight = share * time;
    xx += weight * x * x;
    xv += weight * x * v;
    vv += weight * v * v;
  }
  return { phi: phi(time), gram: [xx, xv, xv, vv] };
}

const product = (a: Matrix, b: Matrix): Matrix => [a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]];
const times = ([a, b, c, d]: Matrix, [x, v]: State): State => [a * x + b * v, c * x + d * v];
/** By the transpose. */
const turned = ([a, b, c, d]: Matrix, [x, v]: State): State => [a * x + c * v, b * x + d * v];
const dot = (a: State, b: State): number => a[0] * b[0] + a[1] * b[1];

/** W⁻¹ times a vector. */
function effort({ gram: [a, b, , c] }: Way, [x, v]: State): State {
  const det = a * c - b * b;
  return [(c * x - b * v) / det, (a * v - b * x) / det];
}

function pullOf(way: Way, from: State, [x, v]: State): State {
  const free = times(way.phi, from);
  return effort(way, [x - free[0], v - free[1]]);
}

/** The normal equations of the least effort, for the velocities at the keys. */
class Tridiagonal {
  private readonly diagonal: number[];
  private readonly beside: number[];
  private readonly right: number[];

  constructor(private readonly n: number) {
    [this.diagonal, this.beside, this.right] = [0, 1, 2].map(() => new Array<number>(n).fill(0)) as [number[], number[], number[]];
  }

  add(i: number, j: number, way: Way, from: number, to: number): void {
    const start: State = [-way.phi[1], -way.phi[3]];
    const end: State = [0, 1];
    const given: State = [to - way.phi[0] * from, -way.phi[2] * from];
    const [ofStart, ofEnd, ofGiven] = [effort(way, start), effort(way, end), effort(way, given)];
    this.diagonal[i]! += dot(start, ofStart);
    this.diagonal[j]! += dot(end, ofEnd);
    this.beside[i]! += dot(start, ofEnd);
    this.right[i]! -= dot(start, ofGiven);
    this.right[j]! -= dot(end, ofGiven);
  }

  solve(isCycle: boolean): number[] {
    const { n, diagonal, beside, right } = this;
    if (n === 1) {
      const both = diagonal[0]! + 2 * beside[0]!;
      return [isCycle && both > 0 ? right[0]! / both : 0];
    }
    const joined = new Array<number>(n).fill(0);
    joined[1]! += beside[0]!;
    if (isCycle) joined[n - 1]! += beside[n - 1]!;
    const byFirst = [...joined];
    for (let i = 2; i < n; i++) {
      const share = beside[i - 1]! / diagonal[i - 1]!;
      diagonal[i]! -= share * beside[i - 1]!;
      right[i]! -= share * right[i - 1]!;
      byFirst[i]! -= share * byFirst[i - 1]!;
    }
    for (let i = n - 1; i > 0; i--) {
      const [by, after] = i + 1 < n ? [beside[i]!, i + 1] : [0, i];
      right[i] = (right[i]! - by * right[after]!) / diagonal[i]!;
      byFirst[i] = (byFirst[i]! - by * byFirst[after]!) / diagonal[i]!;
    }
    const along = (of: readonly number[]): number => of.reduce((sum, entry, i) => (i === 0 ? sum : sum + joined[i]! * entry), 0);
    const left = diagonal[0]! - along(byFirst);
    const first = isCycle && left > 0 ? (right[0]! - along(right)) / left : 0;
    return right.map((given, i) => (i === 0 ? first : given - byFirst[i]! * first));
  }
}
