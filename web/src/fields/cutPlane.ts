/**
 * The plane that a body is cut with, as people set it: turned about the vertical, tilted, pushed along its normal. What
 * lies in front of it (where the normal points) is taken away. The server keeps the cut with the flesh; here it follows
 * the body's middle.
 */
import { type Vec3, add, cross, dot, length, normalize, scale, sub } from '../document/vector';

export interface CutPlane {
  body: number;
  /** About the vertical from the z axis, degrees. */
  turnDeg: number;
  /** Above the horizon, degrees. */
  tiltDeg: number;
  /** Along the normal from the body's middle, metres. */
  offsetM: number;
  /** The body's middle when the plane was set, and half its size. */
  middle: Vec3;
  halfM: number;
  /** Half the body's extent to the sides and upwards, for the frame that is drawn. */
  frame: [number, number];
  /** Instead of the plane: a line drawn over the body, in the world, and the direction it was looked along. */
  stroke: { points: Vec3[]; direction: Vec3 } | null;
}

export interface Ball {
  centre: { x: number; y: number; z: number };
  radiusM: number;
  /** Half its extent: across, and upwards. */
  reach?: [number, number];
}

const middleOf = ({ centre }: Ball): Vec3 => [centre.x, centre.y, centre.z];

/** Through the middle, upright, open towards the eye. */
export function facingCut(body: number, ball: Ball, forward: Vec3): CutPlane {
  const turn = degrees(Math.atan2(-forward[0], -forward[2]));
  return { body, turnDeg: Math.round(turn), tiltDeg: 0, offsetM: 0, ...spanOf(ball), stroke: null };
}

const spanOf = (ball: Ball): Pick<CutPlane, 'middle' | 'halfM' | 'frame'> => ({
  middle: middleOf(ball), halfM: ball.radiusM, frame: ball.reach ?? [ball.radiusM, ball.radiusM],
});

/** Along a line drawn across the view: through both rays. What lies to the left of the line, as it was drawn, goes. */
export function drawnCut(body: number, ball: Ball, from: { origin: Vec3; direction: Vec3 }, to: { origin: Vec3; direction: Vec3 }): CutPlane | null {
  const middle = middleOf(ball);
  const depth = Math.max(1e-6, dot(sub(middle, from.origin), from.direction));
  const [a, b] = [add(from.origin, scale(from.direction, depth)), add(to.origin, scale(to.direction, depth))];
  const across = cross(sub(b, a), from.direction);
  if (length(across) < 1e-9) return null;
  // To the left of a line that runs to the right on screen lies up: right × forward.
  const normal = normalize(across);
  return { ...planeWith(body, ball, normal), offsetM: round(dot(sub(a, middle), normal), 4) };
}

/** A line that is not straight. */
export const strokeCut = (body: number, ball: Ball, points: Vec3[], direction: Vec3): CutPlane => ({
  body, turnDeg: 0, tiltDeg: 0, offsetM: 0, ...spanOf(ball), stroke: { points, direction },
});

function planeWith(body: number, ball: Ball, normal: Vec3): CutPlane {
  const turnDeg = round(degrees(Math.atan2(normal[0], normal[2])), 1);
  const tiltDeg = round(degrees(Math.asin(Math.max(-1, Math.min(1, normal[1])))), 1);
  return { body, turnDeg, tiltDeg, offsetM: 0, ...spanOf(ball), stroke: null };
}

export function normalOf({ turnDeg, tiltDeg }: CutPlane): Vec3 {
  const [turn, tilt] = [radians(turnDeg), radians(tiltDeg)];
  return [Math.cos(tilt) * Math.sin(turn), Math.sin(tilt), Math.cos(tilt) * Math.cos(turn)];
}

export const throughOf = (cut: CutPlane): Vec3 => add(cut.middle, scale(normalOf(cut), cut.offsetM));

/** The four corners of the plane as it is drawn, about a place. */
export function cornersOf(cut: CutPlane, through: Vec3): [Vec3, Vec3, Vec3, Vec3] {
  const normal = normalOf(cut);
  const side = Math.abs(normal[1]) > 0.99 ? ([1, 0, 0] as Vec3) : normalize(cross([0, 1, 0], normal));
  const up = cross(normal, side);
  // A plane that lies down is as long as the body is tall.
  const lying = Math.abs(normal[1]);
  const [wide, tall] = [cut.frame[0] * 1.12, (cut.frame[1] * (1 - lying) + cut.frame[0] * lying) * 1.12];
  const corner = (x: number, y: number): Vec3 => add(through, add(scale(side, x * wide), scale(up, y * tall)));
  return [corner(-1, 1), corner(1, 1), corner(1, -1), corner(-1, -1)];
}

/** Whether a drawn line is as good as straight: no point farther from its chord than a twenty-fifth of it. */
export function isStraight(points: readonly { x: number; y: number }[]): boolean {
  const [a, b] = [points[0], points.at(-1)];
  if (!a || !b) return true;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const size = Math.hypot(dx, dy);
  return points.every(({ x, y }) => Math.abs((x - a.x) * dy - (y - a.y) * dx) <= 0.04 * size * size);
}

const degrees = (radians: number): number => (radians * 180) / Math.PI;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const round = (value: number, digits: number): number => Number(value.toFixed(digits));
