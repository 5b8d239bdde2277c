/** Where places and values of a curve are on its plot, and back. A rate's axis is logarithmic with ×1 in the middle. */
import { type Curve, type Key, curveValue } from '../document/channel';

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface ValueAxis {
  /** 0 at the foot of the plot, 1 at its head. */
  share(value: number): number;
  value(share: number): number;
  /** Lines with their words; the one at rest is stronger. */
  ticks: { value: number; label: string; strong: boolean }[];
  /** What the curve is filled towards. */
  base: number;
}

export interface PlaceAxis {
  from: number;
  to: number;
  ticks: { at: number; label: string }[];
}

/** From 1/limit to limit, ×1 in the middle. */
export function rateAxis(limit: number): ValueAxis {
  const half = Math.log(limit);
  const share = (value: number): number => 0.5 + Math.log(Math.max(value, 1e-9)) / (2 * half);
  const value = (place: number): number => Math.exp((place - 0.5) * 2 * half);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((place) => ({
    value: value(place), label: rateInWords(value(place)), strong: place === 0.5,
  }));
  return { share, value, ticks, base: 1 };
}

/** From low to high, a little room at both ends. */
export function lineAxis(low: number, high: number, unit = ''): ValueAxis {
  const room = Math.max((high - low) * 0.12, Math.abs(high) * 0.02, 1e-6);
  const [from, to] = [low - room, high + room];
  const step = niceStep((to - from) / 5);
  const ticks = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + 1e-9 * step; tick += step) {
    const value = Math.abs(tick) < 1e-9 * step ? 0 : tick;
    ticks.push({ value, label: plain(value, step) + (unit ? ` ${unit}` : ''), strong: value === 0 });
  }
  return { share: (value) => (value - from) / (to - from), value: (share) => from + share * (to - from), ticks, base: 0 };
}

export function secondsAxis(period: number): PlaceAxis {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((at) => {
    const secs = at * period;
    return { at, label: secs.toFixed(period < 1 ? 2 : 1) + (at === 1 ? ' s' : '') };
  });
  return { from: 0, to: 1, ticks };
}

export function framesAxis(from: number, to: number, widthPx: number): PlaceAxis {
  const step = Math.max(1, niceStep((to - from) / Math.max(2, widthPx / 64)));
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({ at, label: String(at) });
  return { from, to, ticks };
}

export const rateInWords = (rate: number): string => `×${rate.toFixed(2)}`;

export class Plot {
  constructor(
    readonly box: Box,
    readonly places: PlaceAxis,
    readonly values: ValueAxis,
  ) {}

  x(at: number): number {
    return this.box.left + ((at - this.places.from) / (this.places.to - this.places.from)) * this.box.width;
  }

  y(value: number): number {
    return this.box.top + (1 - this.values.share(value)) * this.box.height;
  }

  at(x: number): number {
    return this.places.from + ((x - this.box.left) / this.box.width) * (this.places.to - this.places.from);
  }

  value(y: number): number {
    return this.values.value(1 - (y - this.box.top) / this.box.height);
  }
}

export type Grip = { part: 'key'; key: number } | { part: 'leave' | 'arrive'; key: number } | { part: 'line'; at: number };

/** Pixels around a thing that still take hold of it. */
const REACH_PX = 9;
const LINE_REACH_PX = 8;

/** What lies under the pointer: keys before handles before the line. Handles count for the chosen key only. */
export function gripAt(plot: Plot, curve: Curve, chosen: number | null, x: number, y: number): Grip | null {
  const near = (px: number, py: number): number => Math.hypot(px - x, py - y);
  let best: { grip: Grip; away: number } | null = null;
  const offer = (grip: Grip, away: number): void => {
    if (away <= REACH_PX && (!best || away < best.away)) best = { grip, away };
  };
  curve.keys.forEach((key, i) => offer({ part: 'key', key: i }, near(plot.x(key.at), plot.y(key.value))));
  if (!best) for (const { part, key, at, value } of handlesOf(curve, chosen)) offer({ part, key }, near(plot.x(at), plot.y(value)));
  if (best) return (best as { grip: Grip }).grip;
  const at = plot.at(x);
  if (at < plot.places.from || at > plot.places.to) return null;
  // The nearest point of the line, looked for a few pixels to both sides, so that steep parts can be met.
  let away = Infinity;
  for (let dx = -LINE_REACH_PX; dx <= LINE_REACH_PX; dx += 2) {
    const place = Math.min(plot.places.to, Math.max(plot.places.from, plot.at(x + dx)));
    away = Math.min(away, near(plot.x(place), plot.y(lineValue(curve, place, plot.values.base))));
  }
  return away <= LINE_REACH_PX ? { part: 'line', at } : null;
}

/** A curve without keys lies on its base. */
export const lineValue = (curve: Curve, at: number, base: number): number =>
  curve.keys.length > 0 ? curveValue(curve, at) : base;

/** The handles around a chosen key: the one that leaves it and the one that arrives there. */
export function handlesOf(curve: Curve, chosen: number | null): { part: 'leave' | 'arrive'; key: number; at: number; value: number }[] {
  if (chosen === null) return [];
  const { keys } = curve;
  const [before, own, next] = [keys[chosen - 1], keys[chosen], keys[chosen + 1]];
  const handles: { part: 'leave' | 'arrive'; key: number; at: number; value: number }[] = [];
  if (own && next && typeof own.shape === 'object') {
    handles.push({ part: 'leave', key: chosen, at: own.at + own.shape.leave[0], value: own.value + own.shape.leave[1] });
  }
  if (before && own && typeof before.shape === 'object') {
    const { arrive } = before.shape;
    handles.push({ part: 'arrive', key: chosen - 1, at: own.at + arrive[0], value: own.value + arrive[1] });
  }
  return handles;
}

/** How far a key may go: between its neighbours, and inside the axis where the curve is a cycle. */
export function roomOf(curve: Curve, key: number, places: PlaceAxis, gap: number): [number, number] {
  const cyclic = typeof curve.outside === 'object';
  const before = curve.keys[key - 1];
  const next = curve.keys[key + 1];
  return [before ? before.at + gap : cyclic ? 0 : places.from, next ? next.at - gap : cyclic ? (curve.outside as { cycle: number }).cycle : Infinity];
}

/** Polyline of the curve over the plot: every other pixel, and both sides of every key so that corners are sharp. */
export function polyline(plot: Plot, valueOf: (at: number) => number, keys: readonly Key[]): [number, number][] {
  const { from, to } = plot.places;
  const hair = (to - from) * 1e-6;
  const places = keys.flatMap((key) => [key.at - hair, key.at]).filter((at) => at > from && at < to);
  for (let x = 0; x <= plot.box.width; x += 2) places.push(plot.at(plot.box.left + x));
  places.push(from, to - hair);
  places.sort((a, b) => a - b);
  return places.map((at) => [plot.x(at), plot.y(valueOf(at))]);
}

function niceStep(about: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(about, 1e-9)));
  return ([1, 2, 5, 10].find((step) => step * power >= about * 0.999) ?? 10) * power;
}

const plain = (value: number, step: number): string => value.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))));
