/**
 * The three charts of a muscle: which one is whose, what follows of volume, and how far the cycle has come.
 * ProcDef §4.2: c1 c2 c3 = 1 with both following (1/√c1 each) or the second alone (1/c1).
 */
import { type Curve, type Key, chartOf, curveOf, curveValue, numberAt } from '../document/channel';

export type Volume = 'both' | 'secondary' | 'off';
export type ChartName = 'primary' | 'secondary' | 'tertiary';
export const CHART_NAMES: readonly ChartName[] = ['primary', 'secondary', 'tertiary'];

/** The part of a muscle director that charts show, as it stands in the scene. */
export interface ChartedMuscle {
  period: unknown;
  primary: unknown;
  secondary?: unknown;
  tertiary?: unknown;
  volume?: Volume;
  rate_limit?: number;
}

/** One chart as it is drawn. */
export interface ShownChart {
  name: ChartName;
  curve: Curve;
  /** Made from the primary chart; not to be edited. */
  follows: boolean;
  /** Whether the scene has keys for it: a chart of its own that was never drawn stays at 1. */
  written: boolean;
  rateAt(phase: number): number;
}

export function chartsOf(muscle: ChartedMuscle): ShownChart[] {
  const limit = muscle.rate_limit ?? 4;
  const volume = muscle.volume ?? 'both';
  const primary = chartOf(muscle.primary) ?? EVEN;
  const within = (rate: number): number => Math.min(limit, Math.max(1 / limit, rate));
  const first = (phase: number): number => (primary.keys.length > 0 ? within(curveValue(primary, phase)) : 1);
  const follower = (name: ChartName, power: number): ShownChart => ({
    name,
    follows: true,
    written: false,
    curve: { ...primary, keys: primary.keys.map((key): Key => ({ ...key, value: within(key.value) ** power })) },
    rateAt: (phase) => first(phase) ** power,
  });
  const own = (name: ChartName): ShownChart => {
    const written = chartOf(muscle[name]);
    const curve = written ?? EVEN;
    return { name, follows: false, written: written !== null, curve, rateAt: (phase) => (written ? within(curveValue(curve, phase)) : 1) };
  };
  if (volume === 'both') return [own('primary'), follower('secondary', -0.5), follower('tertiary', -0.5)];
  if (volume === 'secondary') return [own('primary'), follower('secondary', -1), follower('tertiary', 0)];
  return [own('primary'), own('secondary'), own('tertiary')];
}

/** A chart without keys stays at 1. */
const EVEN: Curve = { keys: [], outside: { cycle: 1 } };

/** Shorter periods are taken as this one, as the stage does. */
const LEAST_PERIOD_SECS = 1e-3;

/** Cycles since the first frame; with a period that changes, the sum over frames of what each adds. */
export function cyclesAt(period: unknown, frame: number, firstFrame: number, framesPerSec: number): number {
  if (typeof period === 'number') return (frame - firstFrame) / framesPerSec / Math.max(period, LEAST_PERIOD_SECS);
  const curve = curveOf(period);
  if (!curve) return 0;
  let cycles = 0;
  const step = 0.25;
  for (let at = firstFrame; at < frame; at += step) {
    const width = Math.min(step, frame - at);
    cycles += width / framesPerSec / Math.max(curveValue(curve, at + width / 2), LEAST_PERIOD_SECS);
  }
  return cycles;
}

export const phaseAt = (period: unknown, frame: number, firstFrame: number, framesPerSec: number): number => {
  const cycles = cyclesAt(period, frame, firstFrame, framesPerSec);
  return cycles - Math.floor(cycles);
};

/** Seconds of a cycle at a frame. */
export const periodSecs = (period: unknown, frame: number): number => Math.max(numberAt(period, frame) ?? 1, LEAST_PERIOD_SECS);

/** The range of a chart's axis: 1/A to A, A no narrower than what the keys need, in steps people read. */
export function axisLimit(charts: readonly ShownChart[], rateLimit: number): number {
  const steps = [1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 25, 50, 100];
  const reach = Math.max(...charts.flatMap(({ curve }) => curve.keys.map((key) => Math.exp(Math.abs(Math.log(Math.max(key.value, 1e-6)))))), 1);
  const wide = steps.find((step) => step >= reach * 1.08) ?? 100;
  return Math.min(Math.max(wide, 1.5), Math.max(rateLimit, 1.05));
}
