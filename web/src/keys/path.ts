/** Paths of bodies, as points with velocities that a hand can drag. Pure: what edits do is told by the scene they are given. */
import { curveOf, numberAt } from '../document/channel';
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Table, entryPath, freeName, isTable, list, nameOf } from '../document/scene';
import { type Vec3, add, length, scale, sub } from '../document/vector';

/** A director that leads a body along a path. */
export interface BodyPath {
  /** `body.ball.director.way`. */
  path: string;
  name: string;
  json: Table;
  /** Channels of x, y and z. */
  at: Json[];
  /** Frames at which any of them has a key. */
  frames: number[];
}

/** Frames over which a velocity is measured beside a key. */
const BESIDE = 1e-3;
const tidy = (value: number): number => Number(value.toFixed(6)) + 0;

export function pathOf(scene: Json | undefined, body: string | null): BodyPath | null {
  if (body === null) return null;
  const directors = list(scene, `${body}.director`);
  const index = directors.findIndex((json) => isTable(json) && json.kind === 'path' && Array.isArray(json.at) && json.at.length === 3);
  const json = directors[index];
  if (!isTable(json)) return null;
  const at = json.at as Json[];
  const frames = at.flatMap((channel) => curveOf(channel)?.keys.map((key) => key.at) ?? []);
  return { path: entryPath(`${body}.director`, directors, index), name: nameOf(json) ?? 'path', json, at, frames: [...new Set(frames)].sort((a, b) => a - b) };
}

export const placeAt = ({ at }: BodyPath, frame: number): Vec3 => at.map((channel) => numberAt(channel, frame) ?? 0) as Vec3;

/** Metres per frame just after a frame, or just before it. */
export function velocityAt(path: BodyPath, frame: number, side: 1 | -1): Vec3 {
  return scale(sub(placeAt(path, frame + side * BESIDE), placeAt(path, frame)), side / BESIDE);
}

/** Metres per second about a frame. */
export const speedAt = (path: BodyPath, frame: number, fps: number): number => length(sub(placeAt(path, frame + 0.5), placeAt(path, frame - 0.5))) * fps;

/** Puts the point of a frame somewhere else. Keys keep how they run on; a channel that stood still gets keys where the others have them. */
export function movePoint(path: BodyPath, frame: number, to: Vec3): SceneCommand {
  const before = placeAt(path, frame);
  const commands = path.at.flatMap((channel, axis): SceneCommand[] => {
    const value = tidy(to[axis]!);
    if (Math.abs(to[axis]! - before[axis]!) < 1e-9) return [];
    const at = `${path.path}.at[${axis}]`;
    const curve = curveOf(channel);
    if (!curve) return [{ do: 'set', path: at, value: path.frames.map((each) => [each, each === frame ? value : tidy(before[axis]!), 'smooth']) }];
    const known = curve.keys.some((key) => key.at === frame);
    return [{ do: 'insert_key', path: at, at: frame, value, ...(known ? {} : { shape: 'smooth' }) }];
  });
  return { do: 'batch', label: `move point ${frame} of ${path.name}`, commands };
}

/** A handle: which point, and on which side of it. */
export interface Tangent {
  frame: number;
  side: 1 | -1;
}

/** Frames from a point to its handle: a third of the way to the next point. */
export function handleFrames({ frames }: BodyPath, { frame, side }: Tangent): number | null {
  const next = frames[frames.indexOf(frame) + side];
  return next === undefined ? null : Math.abs(next - frame) / 3;
}

export function handlePlace(path: BodyPath, tangent: Tangent): Vec3 | null {
  const frames = handleFrames(path, tangent);
  return frames === null ? null : add(placeAt(path, tangent.frame), scale(velocityAt(path, tangent.frame, tangent.side), tangent.side * frames));
}

/** Puts a handle somewhere: the velocity at its point is another one, on both sides unless they are parted. */
export function moveHandle(path: BodyPath, tangent: Tangent, to: Vec3, parted: boolean): SceneCommand | null {
  const frames = handleFrames(path, tangent);
  if (frames === null) return null;
  const velocity = scale(sub(to, placeAt(path, tangent.frame)), tangent.side / frames);
  const own = (frame: number, side: 1 | -1): Vec3 => (frame === tangent.frame && (side === tangent.side || !parted) ? velocity : velocityAt(path, frame, side));
  return { do: 'set', path: `${path.path}.at`, value: [0, 1, 2].map((axis) => bezierKeys(path, path.frames, axis, own)) };
}

/** One more point on the path at a frame, which does not change where it leads. */
export function addPoint(path: BodyPath, frame: number): SceneCommand | null {
  if (path.frames.includes(frame)) return null;
  const frames = [...path.frames, frame].sort((a, b) => a - b);
  const keys = [0, 1, 2].map((axis) => bezierKeys(path, frames, axis, (at, side) => velocityAt(path, at, side)));
  return { do: 'batch', label: `point ${frame} on ${path.name}`, commands: [{ do: 'set', path: `${path.path}.at`, value: keys }] };
}

/** Takes a point away; a path keeps its last two. */
export function removePoint(path: BodyPath, frame: number): SceneCommand | null {
  if (path.frames.length < 3) return null;
  const commands = path.at.flatMap((channel, axis): SceneCommand[] =>
    curveOf(channel)?.keys.some((key) => key.at === frame) ? [{ do: 'delete_key', path: `${path.path}.at[${axis}]`, at: frame }] : [],
  );
  return commands.length === 0 ? null : { do: 'batch', label: `delete point ${frame} of ${path.name}`, commands };
}

/** Keys of one axis with handles a third of each way long. */
function bezierKeys(path: BodyPath, frames: readonly number[], axis: number, velocity: (frame: number, side: 1 | -1) => Vec3): Json {
  return frames.map((frame, i): Json => {
    const value = tidy(placeAt(path, frame)[axis]!);
    const next = frames[i + 1];
    if (next === undefined) return [frame, value];
    const third = (next - frame) / 3;
    const leave = [tidy(third), tidy(velocity(frame, 1)[axis]! * third)];
    const arrive = [tidy(-third), tidy(-velocity(next, -1)[axis]! * third)];
    return [frame, value, { leave, arrive }];
  });
}

/** Frames from one point of a drawn path to the next. */
const DRAWN_EVERY = 6;
/** Frames in which a body that was free takes up a drawn path. */
const TAKES_UP = 3;

/** A path drawn from a frame on: the end of the body's path, or a new one that it takes up there. */
export function drawnPath(scene: Json | undefined, body: string, points: readonly Vec3[], from: number, to: number): { command: SceneCommand; path: string } | null {
  const many = Math.max(2, Math.round((to - from) / DRAWN_EVERY) + 1);
  const places = evenly(points, many);
  if (!places || to - from < 2) return null;
  const keys = (axis: number): Json[] => places.map((place, i) => [Math.round(from + ((to - from) * i) / (many - 1)), tidy(place[axis]!), 'smooth']);
  const known = pathOf(scene, body);
  if (known) {
    const value = [0, 1, 2].map((axis) => [...earlierKeys(known, axis, from), ...keys(axis)]);
    return { command: { do: 'batch', label: `draw ${known.name} from frame ${from}`, commands: [{ do: 'set', path: `${known.path}.at`, value }] }, path: known.path };
  }
  const name = freeName('path', list(scene, `${body}.director`).map(nameOf));
  const value: Json = { name, kind: 'path', at: [0, 1, 2].map(keys), strength: [[from, 0], [from + TAKES_UP, 1]] };
  return { command: { do: 'batch', label: `draw ${name} from frame ${from}`, commands: [{ do: 'add', to: `${body}.director`, value }] }, path: `${body}.director.${name}` };
}

function earlierKeys({ at, frames }: BodyPath, axis: number, before: number): Json[] {
  const channel = at[axis];
  const curve = curveOf(channel);
  const earlier = frames.filter((frame) => frame < before);
  if (!curve) return earlier.map((frame) => [frame, numberAt(channel, frame) ?? 0, 'smooth']);
  return curve.keys.filter((key) => key.at < before).map(({ at: frame, value, shape }) => [frame, value, shape as Json]);
}

/** Places at even lengths along a line; none where it is a dot. */
function evenly(points: readonly Vec3[], many: number): Vec3[] | null {
  const lengths = [0];
  for (let i = 1; i < points.length; i++) lengths.push(lengths[i - 1]! + length(sub(points[i]!, points[i - 1]!)));
  const whole = lengths.at(-1) ?? 0;
  if (whole < 1e-6) return null;
  return Array.from({ length: many }, (_, k) => {
    const want = (whole * k) / (many - 1);
    const i = Math.max(1, lengths.findIndex((each) => each >= want - 1e-12));
    const span = lengths[i]! - lengths[i - 1]! || 1;
    return add(points[i - 1]!, scale(sub(points[i]!, points[i - 1]!), (want - lengths[i - 1]!) / span));
  });
}
