/** What came of a metaphor, in numbers: now, at its peak, at its goal, and after it was let go. */
import { measuredNow } from '../client/measured.svelte';
import type { Session } from '../client/session.svelte';
import { isTable } from '../document/scene';
import { measure } from '../document/words';
import { peakOf } from './now';
import { type Metaphor, measureOfAct, measuredInWords, numberOf } from './read';

export type Fact = [name: string, value: string, id?: string];

export interface Goal {
  amount: number;
  from: number;
  at: number;
  hold: number;
  release: number;
}

export function goalOf({ json }: Pick<Metaphor, 'json'>): Goal | null {
  const { goal } = json;
  if (!isTable(goal)) return null;
  return { amount: numberOf(goal.amount, 0), from: numberOf(goal.from, 1), at: numberOf(goal.at, 1), hold: numberOf(goal.hold, 0), release: numberOf(goal.release, 0) };
}

/** What is wanted at a frame, as `sinew_direct::metaphor::Goal` has it: eased up to the amount, held, and eased back. */
export function wantedAt({ amount, from, at, hold, release }: Goal, frame: number): number {
  const left = at + hold;
  const up = eased((frame - from) / Math.max(at - from, Number.MIN_VALUE));
  const down = release > 0 ? eased((frame - left) / release) : Number(frame > left);
  return amount * (up - down);
}

/** Slope and curvature are zero at 0 and 1 (Perlin 2002). */
function eased(share: number): number {
  const t = Math.min(1, Math.max(0, share));
  return t * t * t * (t * (6 * t - 15) + 10);
}

/** How far what was measured at the goal's frame is off, as a share of it; none where that was not simulated. */
export function offBy(goal: Goal, series: readonly [number, number][]): number | null {
  const there = series.find(([frame]) => frame === goal.at);
  return there && goal.amount !== 0 ? Math.abs(there[1] - goal.amount) / Math.abs(goal.amount) : null;
}

/** The farthest swing to the other side after it was let go, as a share of what it had got to. */
export function overshoot(series: readonly [number, number][], letGo: number): number | null {
  const most = series.reduce((far, [, value]) => (Math.abs(value) > Math.abs(far) ? value : far), 0);
  const after = series.filter(([frame]) => frame >= letGo);
  if (most === 0 || after.length === 0) return null;
  return Math.max(0, ...after.map(([, value]) => -value * Math.sign(most))) / Math.abs(most);
}

/** The frame from which on nothing is asked for any more. */
export function letGoAt(metaphor: Metaphor): number {
  const goal = goalOf(metaphor);
  if (goal) return goal.at + goal.hold + goal.release;
  const { newton } = metaphor.json;
  const keys = Array.isArray(newton) ? newton : isTable(newton) && Array.isArray(newton.keys) ? newton.keys : [];
  const last = keys.at(-1);
  return Array.isArray(last) ? numberOf(last[0], Infinity) : Infinity;
}

export function factsOf(one: Metaphor, session: Session, body: number): Fact[] {
  const name = measureOfAct(one.act);
  const measures = session.measures;
  const now = measuredNow(measures, body, one.name, name);
  const force = measuredNow(measures, body, one.name, 'force');
  const series = name ? session.measured.series(body, one.name, name) : [];
  const swing = overshoot(series, letGoAt(one));
  return [
    ['Measured now', now ? measuredInWords(one.act, now.value) : '–', 'measured-now'],
    ['Force now', force ? `${measure(force.value)} N` : '–', 'force-now'],
    ['Peak force', `${measure(peakOf(one.json.newton))} N`, 'peak-force'],
    ['Overshoot after release', swing === null ? '–' : `${(100 * swing).toFixed(1)} %`, 'overshoot'],
  ];
}
