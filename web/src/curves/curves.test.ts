import { describe, expect, it } from 'vitest';
import { chartOf, curveOf, curveValue } from '../document/channel';
import { axisLimit, chartsOf, cyclesAt, phaseAt } from '../fields/chart';
import { changed, commandFor, firstWiggle, halfWay, handleKind, heightsOf, nextHandles, nextShape, settingsCommand, shortestCycle } from './edit';
import { Plot, gripAt, handlesOf, lineAxis, polyline, rateAxis, roomOf, secondsAxis } from './plot';

const MUSCLE = { period: 1.2, primary: [[0, 1], [0.2, 0.5], [0.8, 1]], volume: 'both' as const, rate_limit: 4 };

describe('charts', () => {
  it('that follow keep c1 c2 c3 at one, in both modes', () => {
    for (const volume of ['both', 'secondary'] as const) {
      const charts = chartsOf({ ...MUSCLE, volume });
      expect(charts.map(({ follows }) => follows)).toEqual([false, true, true]);
      for (let i = 0; i < 40; i++) {
        const product = charts.reduce((rates, chart) => rates * chart.rateAt(i * 0.031), 1);
        expect(product).toBeCloseTo(1, 12);
      }
    }
    expect(chartsOf({ ...MUSCLE, volume: 'both' })[1]!.rateAt(0.2)).toBeCloseTo(Math.SQRT2, 12);
    expect(chartsOf({ ...MUSCLE, volume: 'secondary' }).map((chart) => chart.rateAt(0.2))).toEqual([0.5, 2, 1]);
  });

  it('are each their own without a volume mode; one that was never drawn stays at one', () => {
    const charts = chartsOf({ ...MUSCLE, volume: 'off', secondary: [[0.5, 1.4]] });
    expect(charts.map((chart) => [chart.follows, chart.written, chart.rateAt(0.2)])).toEqual([
      [false, true, 0.5], [false, true, 1.4], [false, false, 1],
    ]);
  });

  it('stay within the rate limit, as the stage keeps them', () => {
    expect(chartsOf({ ...MUSCLE, primary: [[0, 9]] })[0]!.rateAt(0.3)).toBe(4);
  });

  it('run with the period, also with one that changes', () => {
    expect(phaseAt(1.2, 1 + 24 * 0.9, 1, 24)).toBeCloseTo(0.75, 12);
    expect(phaseAt(1.2, 1 + 24 * 1.5, 1, 24)).toBeCloseTo(0.25, 12);
    // Half a second at one cycle a second, then twice as fast.
    const faster = [[1, 1, 'step'], [13, 0.5]];
    expect(cyclesAt(faster, 13, 1, 24)).toBeCloseTo(0.5, 9);
    expect(cyclesAt(faster, 25, 1, 24)).toBeCloseTo(1.5, 9);
  });

  it('have an axis that holds their points and no more than the limit', () => {
    expect(axisLimit(chartsOf(MUSCLE), 4)).toBe(3);
    expect(axisLimit(chartsOf({ ...MUSCLE, primary: [[0, 3.99]] }), 4)).toBe(4);
    expect(axisLimit(chartsOf({ ...MUSCLE, primary: [[0, 1]] }), 4)).toBe(1.5);
  });
});

describe('a plot', () => {
  const plot = new Plot({ left: 40, top: 10, width: 200, height: 100 }, secondsAxis(1.2), rateAxis(4));

  it('has ×1 in the middle and equal ways up and down for inverse rates', () => {
    expect(plot.y(1)).toBeCloseTo(60);
    expect(plot.y(2) - 60).toBeCloseTo(60 - plot.y(0.5));
    expect([plot.y(4), plot.y(0.25)]).toEqual([10, 110]);
    expect(plot.value(plot.y(1.7))).toBeCloseTo(1.7, 10);
    expect(plot.at(plot.x(0.3))).toBeCloseTo(0.3, 10);
  });

  it('gives hold of points before the line, and of nothing elsewhere', () => {
    const curve = chartOf(MUSCLE.primary)!;
    const at = (phase: number, value: number) => gripAt(plot, curve, null, plot.x(phase) + 3, plot.y(value) - 3);
    expect(at(0.2, 0.5)).toEqual({ part: 'key', key: 1 });
    expect(at(0.5, 0.75)).toMatchObject({ part: 'line' });
    expect(at(0.5, 2)).toBeNull();
  });

  it('draws the wrap of a cycle: the line from the last point runs over the edge to the first', () => {
    const curve = chartOf([[0.1, 1], [0.7, 2]])!;
    const points = polyline(plot, (place) => curveValue(curve, place), curve.keys);
    expect(points[0]![1]).toBeCloseTo(points.at(-1)![1], 3);
    expect(points[0]![1]).toBeCloseTo(plot.y(1.25), 3);
  });

  it('keeps points between their neighbours and inside the cycle', () => {
    const curve = chartOf(MUSCLE.primary)!;
    expect(roomOf(curve, 1, plot.places, 0.001)).toEqual([0.001, 0.799]);
    expect(roomOf(curve, 2, plot.places, 0.001)).toEqual([0.201, 1]);
  });

  it('shows handles of the chosen key only', () => {
    const curve = curveOf([[1, 0, { leave: [3, 1], arrive: [-2, 0] }], [11, 5], [20, 5]])!;
    expect(handlesOf(curve, null)).toEqual([]);
    expect(handlesOf(curve, 0)).toEqual([{ part: 'leave', key: 0, at: 4, value: 1 }]);
    expect(handlesOf(curve, 1)).toEqual([{ part: 'arrive', key: 0, at: 9, value: 5 }]);
  });

  it('has round ticks', () => {
    expect(lineAxis(0, 1).ticks.map(({ label }) => label)).toEqual(['0.0', '0.5', '1.0']);
    expect(lineAxis(-30, 42, '°').ticks.map(({ label }) => label)).toEqual(['-20 °', '0 °', '20 °', '40 °']);
  });
});

describe('edits', () => {
  const curve = curveOf([[1, 0, 'smooth'], [11, 5], [20, 5]])!;

  it('are the same on screen and as commands', () => {
    expect(changed(curve, { kind: 'insert', at: 5, value: 2 }).keys[1]).toEqual({ at: 5, value: 2, shape: 'smooth' });
    expect(commandFor('p', curve, { kind: 'insert', at: 5, value: 2 }, true)).toEqual({
      do: 'insert_key', path: 'p', at: 5, value: 2, shape: 'smooth',
    });
    expect(commandFor('p', curve, { kind: 'insert', at: 12, value: 2 }, true)).toEqual({ do: 'insert_key', path: 'p', at: 12, value: 2 });
    expect(changed(curve, { kind: 'move', from: 11, to: 12, value: 1 }).keys[1]).toEqual({ at: 12, value: 1, shape: 'linear' });
    expect(commandFor('p', curve, { kind: 'move', from: 11, to: 12, value: 1 }, true)).toEqual({
      do: 'move_key', path: 'p', from: 11, to: 12, value: 1,
    });
    expect(changed(curve, { kind: 'delete', at: 1 }).keys).toHaveLength(2);
  });

  it('write a chart that is not there yet with its first point', () => {
    const empty = { keys: [], outside: { cycle: 1 } };
    expect(commandFor('p', empty, { kind: 'insert', at: 0.5, value: 1.2 }, false)).toEqual({ do: 'set', path: 'p', value: [[0.5, 1.2]] });
  });

  it('go round the shapes and the handles', () => {
    let now = curve;
    const seen: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      now = changed(now, { kind: 'shape', at: 11, shape: nextShape(now, 1) });
      seen.push(typeof now.keys[1]!.shape === 'string' ? now.keys[1]!.shape : 'bezier');
    }
    expect(seen).toEqual(['smooth', 'step', 'bezier', 'linear']);
    now = changed(now, { kind: 'shape', at: 11, shape: { leave: [3, 0], arrive: [-3, 0] } });
    const kinds = [handleKind(now, 1)];
    now = changed(now, { kind: 'shape', at: 11, shape: nextHandles(now, 1)! });
    kinds.push(handleKind(now, 1));
    expect(kinds[0]).toBe('straight'); // between equal values flat and straight are one
    expect(halfWay(curve, 0, 30)).toEqual({ at: 6, value: curveValue(curve, 6) });
  });
});

describe('what is set for a whole curve', () => {
  const keys = [[1, 0], [20, 5, 'smooth'], [40, 0]];
  it('is written only where it says something', () => {
    const set = (json: unknown, settings: Parameters<typeof settingsCommand>[2]) => (settingsCommand('a.newton', json, settings) as { value: unknown }).value;
    expect(set(keys, { outside: 'zero', wiggle: null })).toEqual({ keys, outside: 'zero' });
    expect(set({ keys, outside: 'zero' }, { outside: 'hold', wiggle: null })).toEqual(keys);
    expect(set({ keys, shape: 'smooth' }, { outside: { cycle: 40 }, wiggle: { period: 12, damping: 0.2 } })).toEqual({ keys, shape: 'smooth', outside: { cycle: 40 }, wiggle: { period: 12, damping: 0.2 } });
    expect(set({ keys, wiggle: { period: 3 } }, { outside: 'hold', wiggle: null })).toEqual(keys);
  });

  it('begins with a cycle that holds the keys and a swing that is seen', () => {
    const curve = curveOf(keys)!;
    expect(shortestCycle(curve)).toBe(40);
    expect(firstWiggle(curve)).toEqual({ period: 19.5, damping: 0.2 });
    expect(heightsOf(curve, 1, 60)).toEqual([0, 5]);
    const [low] = heightsOf({ ...curve, wiggle: { period: 8, damping: 0.1 } }, 1, 60);
    expect(low).toBeLessThan(-1);
  });
});
