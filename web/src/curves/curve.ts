/**
 * Curves as the page draws and edits them: the same keys, shapes and values as `sinew_math::curve`, read from and written
 * in the forms of scene files (`sinew_scene::model::channel`). The server's curve is the one that acts; this one is for eyes.
 */
export type Shape = 'linear' | 'smooth' | 'step' | Handles;

/** Offsets (along the axis, in value) of a Bézier's handles: leaving this key, arriving at the next. */
export interface Handles {
  leave: [number, number];
  arrive: [number, number];
}

export interface Key {
  at: number;
  value: number;
  /** How it runs from this key to the next. */
  shape: Shape;
}

export type Outside = 'hold' | 'zero' | { cycle: number };

export interface Curve {
  keys: Key[];
  outside: Outside;
}

/** A chart's phase runs from 0 to 1, and its ends are joined. */
export const CHART_OUTSIDE: Outside = { cycle: 1 };

/** Reads a number, a list of keys or a table of them; none where it is something else. */
export function readCurve(json: unknown, outside: Outside = 'hold'): Curve | null {
  if (Array.isArray(json)) return withKeys(json, 'linear', outside);
  if (typeof json !== 'object' || json === null) return null;
  const table = json as { keys?: unknown; shape?: unknown; outside?: unknown };
  if (!Array.isArray(table.keys)) return null;
  return withKeys(table.keys, readShape(table.shape) ?? 'linear', readOutside(table.outside) ?? outside);
}

/** A constant as a curve of no keys has no meaning: this is its number, or none where it changes over time. */
export const constantOf = (json: unknown): number | null => (typeof json === 'number' ? json : null);

export const writeKey = ({ at, value, shape }: Key): unknown[] => (shape === 'linear' ? [at, value] : [at, value, shape]);

export function valueAt(curve: Curve, at: number): number {
  const { keys, outside } = curve;
  const [first, last] = [keys[0], keys.at(-1)];
  if (!first || !last) return 0;
  if (typeof outside === 'object') return onCycle(keys, outside.cycle, at);
  if (at < first.at || at >= last.at) return outside === 'zero' ? 0 : at < first.at ? first.value : last.value;
  const right = keys.findIndex((key) => key.at > at);
  return between(keys[right - 2], keys[right - 1]!, keys[right]!, keys[right + 1], at);
}

/** The index of the segment's left key at a place, as drawn between the first and last place of a view. */
export function segmentAt(curve: Curve, at: number): number {
  const right = curve.keys.findIndex((key) => key.at > at);
  if (right > 0) return right - 1;
  return curve.keys.length - 1;
}

/** Handles that leave a straight line as it is, to start a Bézier from. */
export function straightHandles(a: Key, b: Key): Handles {
  const third: [number, number] = [(b.at - a.at) / 3, (b.value - a.value) / 3];
  return { leave: third, arrive: [-third[0], -third[1]] };
}

function withKeys(list: unknown[], shape: Shape, outside: Outside): Curve | null {
  const keys: Key[] = [];
  for (const entry of list) {
    if (!Array.isArray(entry) || typeof entry[0] !== 'number' || typeof entry[1] !== 'number') return null;
    keys.push({ at: entry[0], value: entry[1], shape: readShape(entry[2]) ?? shape });
  }
  return keys.length > 0 ? { keys, outside } : null;
}

function readShape(json: unknown): Shape | null {
  if (json === 'linear' || json === 'smooth' || json === 'step') return json;
  const handles = json as Partial<Handles> | null | undefined;
  return isPair(handles?.leave) && isPair(handles?.arrive) ? { leave: handles.leave, arrive: handles.arrive } : null;
}

function readOutside(json: unknown): Outside | null {
  if (json === 'hold' || json === 'zero') return json;
  const cycle = (json as { cycle?: unknown } | null | undefined)?.cycle;
  return typeof cycle === 'number' ? { cycle } : null;
}

const isPair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number');

function onCycle(keys: Key[], period: number, at: number): number {
  if (keys.length === 1) return keys[0]!.value;
  // A key on both edges is one key of the joined circle; the last one then only closes it.
  const closed = keys[0]!.at + period <= keys.at(-1)!.at;
  const distinct = closed ? keys.length - 1 : keys.length;
  const key = (i: number): Key => {
    const turns = Math.floor(i / distinct);
    const own = keys[i - turns * distinct]!;
    return { ...own, at: own.at + turns * period };
  };
  const phase = at - period * Math.floor(at / period);
  let right = 0;
  while (right < distinct && keys[right]!.at <= phase) right += 1;
  const end = closed && right === distinct ? keys.at(-1)! : key(right);
  return between(key(right - 2), key(right - 1), end, key(right + 1), phase);
}

function between(before: Key | undefined, a: Key, b: Key, after: Key | undefined, at: number): number {
  const span = b.at - a.at;
  const rise = b.value - a.value;
  const u = (at - a.at) / span;
  if (a.shape === 'step') return a.value;
  if (a.shape === 'linear') return a.value + rise * u;
  if (a.shape === 'smooth') {
    const leave = before ? (b.value - before.value) / (b.at - before.at) : rise / span;
    const arrive = after ? (after.value - a.value) / (after.at - a.at) : rise / span;
    return hermite(a.value, leave * span, b.value, arrive * span, u);
  }
  const { leave, arrive } = a.shape;
  // Handles stay inside their segment, so that time never runs backwards along it.
  const x: Bezier = [0, clamp(leave[0] / span, 0, 1), 1 + clamp(arrive[0] / span, -1, 0), 1];
  const y: Bezier = [a.value, a.value + leave[1], b.value + arrive[1], b.value];
  return bezier(y, parameterAt(x, u));
}

type Bezier = [number, number, number, number];

function hermite(a: number, da: number, b: number, db: number, u: number): number {
  const c2 = 3 * (b - a) - 2 * da - db;
  const c3 = 2 * (a - b) + da + db;
  return a + u * (da + u * (c2 + u * c3));
}

function bezier(p: Bezier, s: number): number {
  const r = 1 - s;
  return r * r * r * p[0] + 3 * r * r * s * p[1] + 3 * r * s * s * p[2] + s * s * s * p[3];
}

/** Where the rising Bézier `x` reaches `u`: forty halvings are finer than any screen. */
function parameterAt(x: Bezier, u: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (bezier(x, middle) < u) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
