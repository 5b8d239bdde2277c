/** Edits of metaphors, as commands of the scene. Pure: what they do is told by the scene they are given. */
import { curveOf } from '../document/channel';
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Table, freeName, isTable, list, nameOf } from '../document/scene';
import { type Vec3, add, sub } from '../document/vector';
import { type Metaphor, numberOf, sizesOf, vectorOf } from './read';
import { boxOf, sizeOf } from './box';
import { partsOf, pointsIn, restFrameOf } from './geometry';

const DEFAULTS: Table = { mute: false, balanced: true, bounded: true, paper: false, weight: 1 };

/** A director as a file would say it: without what is so anyway. */
export function bare(json: Table): Table {
  return Object.fromEntries(Object.entries(json).filter(([key, value]) => value !== null && DEFAULTS[key] !== value));
}

export function addCommand(scene: Json | undefined, body: string, value: Table, wanted: string, index?: number): { command: SceneCommand; path: string } {
  const name = freeName(wanted, list(scene, `${body}.director`).map(nameOf));
  return { command: { do: 'add', to: `${body}.director`, value: { name, ...bare({ ...value, name }) }, ...(index === undefined ? {} : { index }) }, path: `${body}.director.${name}` };
}

export function muteCommand({ path, muted }: Metaphor): SceneCommand {
  return muted ? { do: 'unset', path: `${path}.mute` } : { do: 'set', path: `${path}.mute`, value: true };
}

/** Alone: the others are muted. Alone already: all speak again. */
export function soloCommand(all: readonly Metaphor[], one: Metaphor): SceneCommand | null {
  const alone = isSolo(all, one);
  const commands = all.flatMap((each): SceneCommand[] => {
    const mute = !alone && each.path !== one.path;
    return mute === each.muted ? [] : [muteCommand(each)];
  });
  return commands.length === 0 ? null : { do: 'batch', label: alone ? `end solo ${one.name}` : `solo ${one.name}`, commands };
}

export const isSolo = (all: readonly Metaphor[], one: Metaphor): boolean =>
  all.length > 1 && !one.muted && all.every((each) => each.path === one.path || each.muted);

/** Exchanges its place with the metaphor before or after it. Later ones are added to earlier ones: order is for people. */
export function moveCommand(all: readonly Metaphor[], one: Metaphor, step: 1 | -1): SceneCommand | null {
  const other = all[all.findIndex(({ path }) => path === one.path) + step];
  if (!other) return null;
  return {
    do: 'batch', label: `move ${one.name}`,
    commands: [{ do: 'remove', path: `${one.body}.director[${one.index}]` }, { do: 'add', to: `${one.body}.director`, value: bare(one.json), index: other.index }],
  };
}

export type Axis = 0 | 1 | 2;

/** The same on the other side of the rest shape's middle: what goes about an axis goes the other way round. */
export function mirrored(json: Table, axis: Axis, rest: Float32Array): Table {
  const { low, high } = boxOf(rest);
  const middle = (low[axis] + high[axis]) / 2;
  const turn = (v: Vec3): Vec3 => v.map((c, i) => (i === axis ? -c || 0 : c)) as Vec3;
  const place = (v: Vec3): Vec3 => v.map((c, i) => (i === axis ? Number((2 * middle - c).toPrecision(6)) : c)) as Vec3;
  const twists = isTable(json.act) && 'twist' in json.act;
  const custom = isTable(json.act) && Array.isArray(json.act.custom) ? json.act.custom : null;
  return {
    ...json,
    ...(Array.isArray(json.at) ? { at: place(vectorOf(json.at, [0, 0, 0])) } : {}),
    along: turn(vectorOf(json.along, [1, 0, 0])),
    up: turn(vectorOf(json.up, [0, 1, 0])),
    ...(twists ? { newton: negated(json.newton ?? 0), ...(isTable(json.goal) ? { goal: { ...json.goal, amount: -numberOf(json.goal.amount, 0) } } : {}) } : {}),
    ...(custom ? { act: { custom: custom.map(mirroredPart) } } : {}),
  };
}

/** In the widget's own frame a mirror turns z about: x and y are its axes, which are mirrored already. */
function mirroredPart(part: Json): Json {
  if (!isTable(part) || !isTable(part.region) || !isTable(part.push)) return part;
  const flip = (json: Json | undefined): Json => {
    const [x, y, z] = vectorOf(json, [0, 0, 0]);
    return [x, y, -z || 0];
  };
  const { sphere, box } = part.region;
  const region: Table = isTable(sphere) ? { sphere: { ...sphere, centre: flip(sphere.centre) } } : isTable(box) ? { box: flippedBox(box) } : part.region;
  const push: Table = Array.isArray(part.push.along) ? { along: flip(part.push.along) } : typeof part.push.around === 'number' ? { around: -part.push.around } : part.push;
  return { region, push };
}

function flippedBox(box: Table): Table {
  const [low, high] = [vectorOf(box.min, [0, 0, 0]), vectorOf(box.max, [0, 0, 0])];
  return { min: [low[0], low[1], -high[2] || 0], max: [high[0], high[1], -low[2] || 0] };
}

/** A constant or a curve with every value turned about. */
export function negated(json: Json): Json {
  return scaledCurve(json, -1);
}

export function scaledCurve(json: Json, by: number): Json {
  const times = (value: number): number => value * by || 0;
  if (typeof json === 'number') return times(json);
  const keys = (list: Json[]): Json[] => list.map((key) => (Array.isArray(key) ? [key[0]!, times(Number(key[1])), ...key.slice(2).map(shape)] : key));
  const shape = (given: Json): Json => {
    if (!isTable(given) || !Array.isArray(given.leave) || !Array.isArray(given.arrive)) return given;
    return { leave: [given.leave[0]!, times(Number(given.leave[1]))], arrive: [given.arrive[0]!, times(Number(given.arrive[1]))] };
  };
  if (!curveOf(json)) return json;
  return Array.isArray(json) ? keys(json) : isTable(json) && Array.isArray(json.keys) ? { ...json, keys: keys(json.keys) } : json;
}

/** On another body: at the same place of its box, as much larger as it is, and as strong as its section asks for. */
export function fitted(json: Table, from: Float32Array, to: Float32Array): Table {
  const [a, b] = [boxOf(from), boxOf(to)];
  const [sizeA, sizeB] = [sub(a.high, a.low), sub(b.high, b.low)];
  const ratio = Math.hypot(...sizeB) / Math.max(Math.hypot(...sizeA), 1e-12);
  const tidy = (value: number): number => Number(value.toPrecision(4));
  const place = (v: Vec3): Vec3 => add(b.low, v.map((c, i) => ((c - a.low[i]!) / (sizeA[i]! || 1)) * sizeB[i]!) as Vec3).map(tidy) as Vec3;
  const act = isTable(json.act) ? Object.fromEntries(Object.entries(json.act).map(([kind, sizes]) => [kind, isTable(sizes) ? grownSizes(sizes, ratio) : sizes])) : {};
  return { ...json, ...(Array.isArray(json.at) ? { at: place(vectorOf(json.at, [0, 0, 0])) } : {}), act, newton: scaledCurve(json.newton ?? 0, Number((ratio * ratio).toPrecision(4))) };
}

const LENGTHS = ['near', 'far', 'radius', 'arm', 'pivot_radius'];

const grownSizes = (sizes: Table, by: number): Table =>
  Object.fromEntries(Object.entries(sizes).flatMap(([key, value]) => (value === null ? [] : [[key, LENGTHS.includes(key) && typeof value === 'number' ? Number((value * by).toPrecision(4)) : value]])));

/** So many times larger in one attempt, and so many attempts: from a thousandth of the body to beyond it. */
const GROWTH = 1.25;
const MOST_GROWN = 60;
/** What a region without a size begins with, as a share of the body's. */
const LEAST_RADIUS = 0.02;

/** Regions as much larger as it takes for each to hold a point of the body, or one step larger where the body is not known. */
export function growCommand(metaphor: Metaphor, rest: Float32Array | null): SceneCommand {
  const path = `${metaphor.path}.act.${metaphor.act}`;
  const began = grownSizes(sizesOf(metaphor), 1);
  const least = rest ? LEAST_RADIUS * sizeOf(rest) : 0;
  let value = began;
  for (let step = 1; step <= MOST_GROWN; step++) {
    value = larger(began, GROWTH ** step, least);
    if (!rest || holdsInAll({ ...metaphor, json: { ...metaphor.json, act: { [metaphor.act]: value } } }, rest)) break;
  }
  return { do: 'set', path, value };
}

/** Wider regions whose ends come nearer to the middle; their arms stay. */
function larger(sizes: Table, by: number, least: number): Table {
  const tidy = (value: number): number => Number(value.toPrecision(3));
  const wide = (value: number): number => tidy(Math.max(value, least) * by);
  return {
    ...sizes,
    radius: wide(numberOf(sizes.radius, 0)),
    ...(typeof sizes.pivot_radius === 'number' ? { pivot_radius: wide(sizes.pivot_radius) } : {}),
    ...(typeof sizes.near === 'number' ? { near: tidy(sizes.near / by) } : {}),
  };
}

function holdsInAll(metaphor: Metaphor, rest: Float32Array): boolean {
  const frame = restFrameOf(metaphor, rest);
  return frame !== null && pointsIn(partsOf(metaphor), frame, rest).every((points) => points.length > 0);
}
