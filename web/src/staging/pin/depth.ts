/**
 * Which skin vertices can be seen: a depth buffer on the page, a quarter as fine as the view, filled with every body's
 * triangles. Waiting for the graphics card would stall the picture; a ray per vertex would take seconds.
 */
export interface Projected {
  /** x, y in pixels and the depth along the view in metres, per vertex. */
  places: Float32Array;
  triangles: Uint32Array;
}

/** Pixels of the view per cell of the buffer. */
const CELL_PX = 2;

export class DepthBuffer {
  private readonly width: number;
  private readonly height: number;
  private readonly nearest: Float32Array;

  constructor(widthPx: number, heightPx: number) {
    this.width = Math.max(1, Math.ceil(widthPx / CELL_PX));
    this.height = Math.max(1, Math.ceil(heightPx / CELL_PX));
    this.nearest = new Float32Array(this.width * this.height).fill(Infinity);
  }

  draw({ places, triangles }: Projected): void {
    for (let t = 0; t < triangles.length; t += 3) {
      this.drawTriangle(places, 3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!);
    }
  }

  /** Whether nothing lies more than `slackM` in front of a place. */
  sees(x: number, y: number, depthM: number, slackM: number): boolean {
    const [column, row] = [Math.floor(x / CELL_PX), Math.floor(y / CELL_PX)];
    if (depthM <= 0 || column < 0 || row < 0 || column >= this.width || row >= this.height) return false;
    return depthM <= this.nearest[row * this.width + column]! + slackM;
  }

  /** Reciprocal depth is linear on the screen, in perspective; over one triangle the difference in a parallel view is far below the slack. */
  private drawTriangle(places: Float32Array, a: number, b: number, c: number): void {
    const [ax, ay, az] = [places[a]! / CELL_PX, places[a + 1]! / CELL_PX, places[a + 2]!];
    const [bx, by, bz] = [places[b]! / CELL_PX, places[b + 1]! / CELL_PX, places[b + 2]!];
    const [cx, cy, cz] = [places[c]! / CELL_PX, places[c + 1]! / CELL_PX, places[c + 2]!];
    if (az <= 0 || bz <= 0 || cz <= 0) return; // behind the eye
    const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (area === 0) return;
    const [left, right] = [Math.max(0, Math.floor(Math.min(ax, bx, cx))), Math.min(this.width - 1, Math.ceil(Math.max(ax, bx, cx)))];
    const [top, foot] = [Math.max(0, Math.floor(Math.min(ay, by, cy))), Math.min(this.height - 1, Math.ceil(Math.max(ay, by, cy)))];
    for (let row = top; row <= foot; row++) {
      for (let column = left; column <= right; column++) {
        const [x, y] = [column + 0.5, row + 0.5];
        const u = ((bx - x) * (cy - y) - (cx - x) * (by - y)) / area;
        const v = ((cx - x) * (ay - y) - (ax - x) * (cy - y)) / area;
        const w = 1 - u - v;
        if (u < 0 || v < 0 || w < 0) continue;
        const depth = 1 / (u / az + v / bz + w / cz);
        const cell = row * this.width + column;
        if (depth < this.nearest[cell]!) this.nearest[cell] = depth;
      }
    }
  }
}
