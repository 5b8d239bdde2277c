/** Points in cells of space, to find the nearest one without trying all. */
import type { Vec3 } from '../document/vector';

export class PointGrid {
  private readonly cells = new Map<string, number[]>();
  private readonly cellM: number;
  private readonly low: Vec3 = [Infinity, Infinity, Infinity];
  private readonly high: Vec3 = [-Infinity, -Infinity, -Infinity];

  /** Three numbers a point. */
  constructor(private readonly points: Float32Array) {
    for (let i = 0; i < points.length; i++) {
      const axis = (i % 3) as 0 | 1 | 2;
      this.low[axis] = Math.min(this.low[axis], points[i]!);
      this.high[axis] = Math.max(this.high[axis], points[i]!);
    }
    const volume = [0, 1, 2].reduce((product, axis) => product * Math.max(this.high[axis]! - this.low[axis]!, 1e-6), 1);
    // About two points a cell.
    this.cellM = Math.cbrt((2 * volume) / Math.max(1, points.length / 3)) || 1;
    for (let i = 0; 3 * i < points.length; i++) {
      const key = this.keyOf([points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!]);
      const cell = this.cells.get(key);
      if (cell) cell.push(i);
      else this.cells.set(key, [i]);
    }
  }

  get sizeM(): number {
    return Math.hypot(...[0, 1, 2].map((axis) => this.high[axis]! - this.low[axis]!));
  }

  /** About the distance between neighbouring points. */
  get edgeM(): number {
    const samples = Math.min(40, this.points.length / 3);
    let sum = 0;
    for (let n = 0; n < samples; n++) {
      const i = Math.floor((n * this.points.length) / 3 / samples);
      sum += this.toNeighbour(i);
    }
    return samples > 0 ? sum / samples : 1;
  }

  private toNeighbour(own: number): number {
    const at: Vec3 = [this.points[3 * own]!, this.points[3 * own + 1]!, this.points[3 * own + 2]!];
    let least = Infinity;
    for (let ring = 0; ring <= 3 && least === Infinity; ring++) {
      for (const cell of shell(this.cellOf(at), ring)) {
        for (const i of this.cells.get(cell) ?? []) {
          if (i !== own) least = Math.min(least, Math.hypot(this.points[3 * i]! - at[0], this.points[3 * i + 1]! - at[1], this.points[3 * i + 2]! - at[2]));
        }
      }
    }
    return least === Infinity ? this.cellM : least;
  }

  /** The index of the nearest point: rings of cells outwards until a nearer one cannot follow. */
  nearest(at: Vec3): number {
    const centre = this.cellOf(at);
    const rings = 2 + Math.ceil(([0, 1, 2].reduce((most, axis) =>
      Math.max(most, this.high[axis]! - this.low[axis]!, Math.abs(at[axis]! - this.low[axis]!), Math.abs(at[axis]! - this.high[axis]!)), 0)) / this.cellM);
    let best = 0;
    let least = Infinity;
    for (let ring = 0; ring <= rings && least > ((ring - 1) * this.cellM) ** 2; ring++) {
      for (const cell of shell(centre, ring)) {
        for (const i of this.cells.get(cell) ?? []) {
          const away = (this.points[3 * i]! - at[0]) ** 2 + (this.points[3 * i + 1]! - at[1]) ** 2 + (this.points[3 * i + 2]! - at[2]) ** 2;
          if (away < least) [best, least] = [i, away];
        }
      }
    }
    return best;
  }

  private cellOf(at: Vec3): Vec3 {
    return at.map((c) => Math.floor(c / this.cellM)) as Vec3;
  }

  private keyOf(at: Vec3): string {
    return this.cellOf(at).join();
  }
}

/** Keys of the cells at a distance, counted along the axis where it is largest. */
function* shell([x, y, z]: Vec3, ring: number): Generator<string> {
  for (let i = -ring; i <= ring; i++) {
    for (let j = -ring; j <= ring; j++) {
      const onFace = Math.abs(i) === ring || Math.abs(j) === ring;
      for (let k = -ring; k <= ring; k += onFace || ring === 0 ? 1 : 2 * ring) yield `${x + i},${y + j},${z + k}`;
    }
  }
}
