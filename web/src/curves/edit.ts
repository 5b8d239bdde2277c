/** Edits of a curve: what they make of it on screen, and the scene commands that say the same. */
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Curve, DAMPING, type Key, type Outside, type Shape, curveValue } from '../document/channel';
import { isTable } from '../document/scene';
import type { Wiggle } from '../document/wiggly';

/** Offsets (along the axis, in value) of a Bézier's handles: leaving a key, arriving at the next. */
export type Handles = Exclude<Shape, string>;

export type CurveChange =
  | { kind: 'insert'; at: number; value: number }
  | { kind: 'move'; from: number; to: number; value: number }
  | { kind: 'delete'; at: number }
  | { kind: 'shape'; at: number; shape: Shape };

/** Who carries edits out: one at a time, or as one drag whose every `show` replaces the one before. A drag that shows nothing is none. */
export interface CurveHand {
  apply(change: CurveChange): void;
  begin(label: string): CurveDrag;
}

export interface CurveDrag {
  show(change: CurveChange): void;
  commit(): void;
  cancel(): void;
}

/** The curve after a change. */
export function changed(curve: Curve, change: CurveChange): Curve {
  const keys = changedKeys(curve.keys, change);
  return { ...curve, keys: keys.sort((a, b) => a.at - b.at) };
}

function changedKeys(keys: readonly Key[], change: CurveChange): Key[] {
  switch (change.kind) {
    case 'insert':
      return [...keys.filter((key) => key.at !== change.at), { at: change.at, value: change.value, shape: shapeBefore(keys, change.at) }];
    case 'move':
      return keys.map((key) => (key.at === change.from ? { ...key, at: change.to, value: change.value } : { ...key }));
    case 'delete':
      return keys.filter((key) => key.at !== change.at);
    case 'shape':
      return keys.map((key) => (key.at === change.at ? { ...key, shape: change.shape } : { ...key }));
  }
}

/** A key put into a segment goes on as the segment does; handles belong to the two ends they were drawn for. */
function shapeBefore(keys: readonly Key[], at: number): Shape {
  const before = keys.filter((key) => key.at < at).at(-1) ?? keys.at(-1);
  return before && typeof before.shape === 'string' ? before.shape : 'linear';
}

/** The command for a change of the curve at `path`. A curve that is not written yet is made by its first key. */
export function commandFor(path: string, curve: Curve, change: CurveChange, written: boolean): SceneCommand {
  if (!written && change.kind === 'insert') return { do: 'set', path, value: [[change.at, change.value]] };
  switch (change.kind) {
    case 'insert': {
      const shape = shapeBefore(curve.keys, change.at);
      return { do: 'insert_key', path, at: change.at, value: change.value, ...(typeof shape === 'string' && shape !== 'linear' ? { shape } : {}) };
    }
    case 'move':
      return { do: 'move_key', path, from: change.from, to: change.to, value: change.value };
    case 'delete':
      return { do: 'delete_key', path, at: change.at };
    case 'shape': {
      const key = curve.keys.find(({ at }) => at === change.at);
      return { do: 'insert_key', path, at: change.at, value: key?.value ?? 0, shape: change.shape as unknown as Json };
    }
  }
}

/** Handles that leave a straight line as it is, to start a Bézier from. */
function straightHandles(a: Key, b: Key): Handles {
  const third: [number, number] = [(b.at - a.at) / 3, (b.value - a.value) / 3];
  return { leave: third, arrive: [-third[0], -third[1]] };
}

/** The next way to run from a key to its neighbour: line, smooth, step, Bézier. */
export function nextShape(curve: Curve, index: number): Shape {
  const key = curve.keys[index]!;
  const next = curve.keys[index + 1];
  if (key.shape === 'linear') return 'smooth';
  if (key.shape === 'smooth') return 'step';
  if (key.shape === 'step' && next) return straightHandles(key, next);
  return 'linear';
}

export type HandleKind = 'straight' | 'flat' | 'smooth';

/** Both handles of a segment in one of three usual ways. */
export function handlesAs(curve: Curve, index: number, kind: HandleKind): Handles | null {
  const [a, b] = [curve.keys[index], curve.keys[index + 1]];
  if (!a || !b) return null;
  const third = (b.at - a.at) / 3;
  if (kind === 'straight') return straightHandles(a, b);
  if (kind === 'flat') return { leave: [third, 0], arrive: [-third, 0] };
  const slope = (before: Key, after: Key): number => (after.value - before.value) / (after.at - before.at);
  const leave = slope(curve.keys[index - 1] ?? a, b) * third;
  const arrive = slope(a, curve.keys[index + 2] ?? b) * third;
  return { leave: [third, leave], arrive: [-third, -arrive] };
}

/** Which of the usual ways a segment's handles are in; none where they were drawn freely. */
export function handleKind(curve: Curve, index: number): HandleKind | null {
  const shape = curve.keys[index]?.shape;
  if (typeof shape !== 'object') return null;
  const alike = (a: Handles, b: Handles): boolean =>
    [...a.leave, ...a.arrive].every((part, i) => Math.abs(part - [...b.leave, ...b.arrive][i]!) < 1e-6 + 1e-4 * Math.abs(part));
  const kinds: HandleKind[] = ['straight', 'flat', 'smooth'];
  return kinds.find((kind) => alike(shape, handlesAs(curve, index, kind)!)) ?? null;
}

export const nextHandles = (curve: Curve, index: number): Handles | null => {
  const order: HandleKind[] = ['straight', 'flat', 'smooth'];
  const now = handleKind(curve, index);
  return handlesAs(curve, index, order[(now ? order.indexOf(now) + 1 : 0) % order.length]!);
};

/** Where a key added from the keyboard goes: half way to the next key, on the line. */
export function halfWay(curve: Curve, index: number, to: number): { at: number; value: number } | null {
  const key = curve.keys[index];
  if (!key) return null;
  const next = curve.keys[index + 1]?.at ?? to;
  if (next - key.at < 1e-6) return null;
  const at = (key.at + next) / 2;
  return { at, value: curveValue(curve, at) };
}

export const shapeInWords = (shape: Shape): string => (typeof shape === 'string' ? shape : 'Bézier');

/** Numbers as they are written into the scene: finer than a hand can drag, short enough to read. */
export const tidy = (value: number, digits = 4): number => Number(value.toFixed(digits));

/** What is set for a curve as a whole. */
export interface CurveSettings {
  outside: Outside;
  wiggle: Wiggle | null;
}

/** The command that sets them. A list of keys becomes a table; what goes without saying is not written. */
export function settingsCommand(path: string, json: unknown, { outside, wiggle }: CurveSettings): SceneCommand {
  const table: Record<string, Json> = isTable(json as Json) ? { ...(json as Record<string, Json>) } : { keys: json as Json };
  delete table.outside;
  delete table.wiggle;
  if (outside !== 'hold') table.outside = outside as unknown as Json;
  if (wiggle) table.wiggle = { period: tidy(wiggle.period), damping: tidy(wiggle.damping) };
  return { do: 'set', path, value: Object.keys(table).length === 1 && Array.isArray(table.keys) ? table.keys : table };
}

/** The shortest cycle that holds all keys, in whole steps of the axis. */
export const shortestCycle = ({ keys }: Curve): number => Math.max(1, Math.ceil(keys.at(-1)?.at ?? 1));

/** A swing to begin with: two of them between the first and the last key. */
export function firstWiggle({ keys }: Curve): Wiggle {
  const reach = (keys.at(-1)?.at ?? 0) - (keys[0]?.at ?? 0);
  return { period: Math.max(2, tidy(reach / 2, 1) || 12), damping: DAMPING };
}

/** The lowest and highest of a curve over a range; handles and swings go beyond keys. */
export function heightsOf(curve: Curve, from: number, to: number): [number, number] {
  const values = curve.keys.map(({ value }) => value);
  if (curve.wiggle) for (let i = 0; i <= 400; i++) values.push(curveValue(curve, from + ((to - from) * i) / 400));
  return [Math.min(...values), Math.max(...values)];
}
