/**
 * A number of a scene that may change over time, as its JSON says it: a constant, a list of [at, value, shape] keys, or
 * a table of keys with what lies outside. The same arithmetic as `sinew_math::Curve`, so that what a panel shows at a
 * frame is what the stage uses there.
 */
import { type Wiggle, Wiggly } from './wiggly';

export type Shape = 'linear' | 'smooth' | 'step' | { leave: [number, number]; arrive: [number, number] };
export type Outside = 'hold' | 'zero' | { cycle: number };

export interface Key {
  at: number;
  value: number;
  /** How it runs from here to the next key. */
  shape: Shape;
}

export interface Curve {
  keys: Key[];
  outside: Outside;
  /** It swings through its keys, whatever their shapes say. */
  wiggle?: Wiggle;
}

/** What a wiggle's damping is where the scene does not say. */
export const DAMPING = 0.2;

/** Reads either form of a curve; none for a constant or for something else. */
export function curveOf(json: unknown): Curve | null {
  if (Array.isArray(json)) return fromKeys(json, 'linear', 'hold');
  if (!isTable(json) || !Array.isArray(json.keys)) return null;
  const plain = fromKeys(json.keys, (json.shape as Shape | undefined) ?? 'linear', (json.outside as Outside | undefined) ?? 'hold');
  const wiggle = wiggleOf(json.wiggle);
  return plain && wiggle ? { ...plain, wiggle } : plain;
}

function wiggleOf(json: unknown): Wiggle | null {
  if (!isTable(json) || typeof json.period !== 'number' || !(json.period > 0)) return null;
  return { period: json.period, damping: typeof json.damping === 'number' ? json.damping : DAMPING };
}

/** A muscle's chart: keys over the phase 0 to 1 of a cycle. */
export function chartOf(json: unknown): Curve | null {
  const curve = curveOf(json);
  return curve && { ...curve, outside: { cycle: 1 } };
}

/** The value at a frame, of a constant too; none where it is no channel. */
export function numberAt(json: unknown, at: number): number | null {
  if (typeof json === 'number') return json;
  const curve = curveOf(json);
  return curve ? curveValue(curve, at) : null;
}

export function curveValue(curve: Curve, at: number): number {
  const { keys, outside } = curve;
  if (curve.wiggle) return swinging(curve, curve.wiggle, at);
  if (typeof outside === 'object') return onCycle(keys, outside.cycle, at);
  const [first, last] = [keys[0]!, keys.at(-1)!];
  if (at < first.at) return outside === 'zero' ? 0 : first.value;
  if (at >= last.at) return outside === 'zero' ? 0 : last.value;
  const right = keys.findIndex((key) => key.at > at);
  return segment(keys[right - 2], keys[right - 1]!, keys[right]!, keys[right + 1], at);
}

export function isKeyed(json: unknown): boolean {
  return curveOf(json) !== null;
}

export function keyAt(json: unknown, at: number): Key | undefined {
  return curveOf(json)?.keys.find((key) => key.at === at);
}

function fromKeys(list: unknown[], shape: Shape, outside: Outside): Curve | null {
  const keys: Key[] = [];
  for (const entry of list) {
    if (!Array.isArray(entry) || typeof entry[0] !== 'number' || typeof entry[1] !== 'number') return null;
    if (entry.length > 3 || typeof entry[2] === 'number') return null; // points in space, not keys
    keys.push({ at: entry[0], value: entry[1], shape: (entry[2] as Shape | undefined) ?? shape });
  }
  return keys.length > 0 ? { keys, outside } : null;
}

/** A key on both edges of a cycle is one key of the joined circle; the last one then only closes it. */
const distinctKeys = (keys: readonly Key[], period: number): number => (keys.length > 1 && keys[0]!.at + period <= keys.at(-1)!.at ? keys.length - 1 : keys.length);

/** Solved once for a curve: it is asked for at every pixel. */
const solved = new WeakMap<readonly Key[], { wiggle: Wiggle; outside: Outside; spline: Wiggly }>();

function splineOf({ keys, outside }: Curve, wiggle: Wiggle): Wiggly {
  const known = solved.get(keys);
  if (known?.wiggle === wiggle && known.outside === outside) return known.spline;
  const period = typeof outside === 'object' ? outside.cycle : null;
  const distinct = period === null ? keys : keys.slice(0, distinctKeys(keys, period));
  const spline = new Wiggly(wiggle, distinct, period === null ? null : distinct[0]!.at + period - distinct.at(-1)!.at);
  solved.set(keys, { wiggle, outside, spline });
  return spline;
}

function swinging(curve: Curve, wiggle: Wiggle, at: number): number {
  const { outside } = curve;
  const period = typeof outside === 'object' ? outside.cycle : null;
  const keys = period === null ? curve.keys : curve.keys.slice(0, distinctKeys(curve.keys, period));
  const [first, last] = [keys[0]!, keys.at(-1)!];
  const spline = splineOf(curve, wiggle);
  let [place, end] = [at, last.at];
  if (period !== null) {
    const phase = at - period * Math.floor(at / period);
    [place, end] = [phase < first.at ? phase + period : phase, first.at + period];
  } else {
    if (outside === 'zero' && (at < first.at || at >= last.at)) return 0;
    if (at < first.at) return first.value;
    if (at >= last.at) return spline.beyond(at - last.at);
  }
  const right = keys.findIndex((key) => key.at > place);
  const left = (right < 0 ? keys.length : right) - 1;
  return spline.between(left, place - keys[left]!.at, (keys[left + 1]?.at ?? end) - keys[left]!.at);
}

function onCycle(keys: Key[], period: number, at: number): number {
  if (keys.length === 1) return keys[0]!.value;
  const distinct = distinctKeys(keys, period);
  const closed = distinct < keys.length;
  const key = (i: number): Key => {
    const turns = Math.floor(i / distinct);
    const found = keys[i - turns * distinct]!;
    return { ...found, at: found.at + turns * period };
  };
  const phase = at - period * Math.floor(at / period);
  const after = keys.slice(0, distinct).findIndex((candidate) => candidate.at > phase);
  const right = after < 0 ? distinct : after;
  const end = closed && right === distinct ? keys.at(-1)! : key(right);
  return segment(key(right - 2), key(right - 1), end, key(right + 1), phase);
}

function segment(before: Key | undefined, a: Key, b: Key, after: Key | undefined, at: number): number {
  const span = b.at - a.at;
  const rise = b.value - a.value;
  const u = (at - a.at) / span;
  if (a.shape === 'step') return a.value;
  if (a.shape === 'linear') return a.value + rise * u;
  if (a.shape === 'smooth') {
    const leave = (before ? (b.value - before.value) / (b.at - before.at) : rise / span) * span;
    const arrive = (after ? (after.value - a.value) / (after.at - a.at) : rise / span) * span;
    const [c2, c3] = [3 * rise - 2 * leave - arrive, leave + arrive - 2 * rise];
    return a.value + u * (leave + u * (c2 + u * c3));
  }
  const { leave, arrive } = a.shape;
  const x = [0, clamp(leave[0] / span, 0, 1), 1 + clamp(arrive[0] / span, -1, 0), 1] as const;
  return bezier([a.value, a.value + leave[1], b.value + arrive[1], b.value], solveMonotone(x, u));
}

type Four = readonly [number, number, number, number];

function bezier(p: Four, s: number): number {
  const r = 1 - s;
  return r * r * r * p[0] + 3 * r * r * s * p[1] + 3 * r * s * s * p[2] + s * s * s * p[3];
}

/** The parameter where a monotone Bézier reaches `u`. */
function solveMonotone(x: Four, u: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (bezier(x, middle) < u) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
const isTable = (json: unknown): json is Record<string, unknown> => typeof json === 'object' && json !== null;
