/** The gizmo's handles as they are seen in one view: always the same size on screen. */
import { type Vec3, add, dot, normalize, scale, sub } from '../../document/vector';
import type { Pane } from '../../stage/pane';
import type { Pointer } from '../../workspace/left';
import { AXES, type Axis } from './act';

const ARROW_PX = 74;
const SQUARE_PX = [20, 34] as const;
const RING_PX = 66;
/** An arrow shorter than this points at the eye: it cannot be drawn along. */
const SHORTEST_PX = 14;

export interface Arrow {
  axis: Axis;
  from: Pointer;
  to: Pointer;
}

export interface Square {
  axis: Axis;
  points: string;
}

export interface Ring {
  axis: Axis;
  /** The half that faces the eye, and the whole. */
  front: string;
  whole: string;
}

export interface Handles {
  middle: Pointer;
  arrows: Arrow[];
  squares: Square[];
  rings: Ring[];
  outerPx: number;
}

/** None where the thing is behind the eye. */
export function handlesIn(pane: Pane, at: Vec3, turns: boolean): Handles | null {
  const { forward, eye, flat } = pane.orbit;
  if (!flat && dot(sub(at, eye), forward) <= 0) return null;
  const perPx = pane.metresPerPixel(at);
  const pixel = (point: Vec3): Pointer => pane.pixelOf(point);
  const middle = pixel(at);
  const out = (axis: Axis, px: number): Vec3 => scale(AXES[axis]!, px * perPx);
  const axes = [0, 1, 2] as const;
  const arrows = axes.map((axis): Arrow => ({ axis, from: middle, to: pixel(add(at, out(axis, ARROW_PX))) })).filter(({ to }) => away(middle, to) >= SHORTEST_PX);
  const squares = axes.filter((axis) => Math.abs(dot(forward, AXES[axis]!)) > 0.2).map((axis): Square => {
    const [a, b] = [((axis + 1) % 3) as Axis, ((axis + 2) % 3) as Axis];
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1]] as const;
    return { axis, points: list(corners.map(([i, j]) => pixel(add(at, add(out(a, SQUARE_PX[i]), out(b, SQUARE_PX[j])))))) };
  });
  return { middle, arrows, squares, rings: turns ? axes.map((axis) => ring(axis, at, perPx, forward, pixel)) : [], outerPx: RING_PX + 12 };
}

function ring(axis: Axis, at: Vec3, perPx: number, forward: Vec3, pixel: (point: Vec3) => Pointer): Ring {
  const [side, up] = [AXES[(axis + 1) % 3]!, AXES[(axis + 2) % 3]!];
  // The circle begins where its back half ends, so that its front half is one line.
  const towards = sub(scale(forward, -1), scale(AXES[axis]!, -dot(forward, AXES[axis]!)));
  const start = Math.atan2(dot(towards, up), dot(towards, side)) - Math.PI / 2;
  const on = (share: number): Pointer => {
    const angle = start + share * 2 * Math.PI;
    return pixel(add(at, scale(normalize(add(scale(side, Math.cos(angle)), scale(up, Math.sin(angle)))), RING_PX * perPx)));
  };
  const points = Array.from({ length: 49 }, (_, i) => on(i / 48));
  return { axis, front: list(points.slice(0, 25)), whole: list(points) };
}

/** The line that a gesture keeps to, right through the view. */
export function axisLine(pane: Pane, at: Vec3, axis: Axis): { a: Pointer; b: Pointer } {
  const middle = pane.pixelOf(at);
  const end = pane.pixelOf(add(at, scale(AXES[axis]!, ARROW_PX * pane.metresPerPixel(at))));
  const size = away(middle, end) || 1;
  const far = 3000 / size;
  const along = (by: number): Pointer => ({ x: middle.x + by * (end.x - middle.x), y: middle.y + by * (end.y - middle.y) });
  return { a: along(-far), b: along(far) };
}

/** The two corners of an arrow's head. */
export function headOf({ from, to }: Arrow): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const size = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / size, dy / size];
  const corner = (back: number, aside: number): Pointer => ({ x: to.x - back * ux - aside * uy, y: to.y - back * uy + aside * ux });
  return list([corner(-3, 0), corner(9, 4.5), corner(9, -4.5)]);
}

const away = (a: Pointer, b: Pointer): number => Math.hypot(a.x - b.x, a.y - b.y);
const list = (points: readonly Pointer[]): string => points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
