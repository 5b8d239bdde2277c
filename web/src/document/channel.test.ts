import { describe, expect, it } from 'vitest';
import { chartOf, curveValue, isKeyed, keyAt, numberAt } from './channel';

describe('channels', () => {
  it('mean at a frame what the stage takes them for', () => {
    // The cases of sinew_scene's channel_form.rs.
    expect(numberAt(3, 7)).toBe(3);
    const line = [[1, 0], [11, 1]];
    expect([0, 6, 99].map((at) => numberAt(line, at))).toEqual([0, 0.5, 1]);
    expect([10.9, 11].map((at) => numberAt([[1, 0, 'step'], [11, 1]], at))).toEqual([0, 1]);
    const oneShape = { keys: [[1, 0], [11, 1, 'linear'], [21, 5]], shape: 'step' };
    expect([6, 16].map((at) => numberAt(oneShape, at))).toEqual([0, 3]);
    const zero = { keys: [[1, 2], [11, 2]], outside: 'zero' };
    expect([0.5, 5, 11].map((at) => numberAt(zero, at))).toEqual([0, 2, 0]);
    const cycle = { keys: [[0, 0], [6, 1]], outside: { cycle: 12 } };
    expect([3, 15, 9].map((at) => numberAt(cycle, at))).toEqual([0.5, 0.5, 0.5]);
    const bezier = [[0, 0, { leave: [5, 0], arrive: [-5, 0] }], [10, 1]];
    expect(numberAt(bezier, 5)).toBeCloseTo(0.5, 9);
    expect(numberAt(bezier, 1)).toBeLessThan(0.05);
    const smooth = [[0, 0, 'smooth'], [10, 1, 'smooth'], [20, 4]];
    expect(numberAt(smooth, 10)).toBe(1);
    expect(numberAt(smooth, 5)).toBeCloseTo(0.5 - (10 * (0.2 - 0.1)) / 8, 9);
  });

  it('join the ends of a chart', () => {
    const chart = chartOf([[0, 1], [0.5, 0.5]])!;
    expect([0.25, 0.75, 1.75].map((at) => curveValue(chart, at))).toEqual([0.75, 0.75, 0.75]);
    const closed = chartOf([[0, 1], [0.5, 0.5], [1, 1]])!;
    expect(curveValue(closed, 0.75)).toBeCloseTo(0.75, 12);
  });

  it('tell constants, curves and other values apart', () => {
    expect([0.5, [[1, 2]], [1, 2, 3], 'word', null, [[0, 1, 2], [3, 4, 5]]].map(isKeyed)).toEqual([false, true, false, false, false, false]);
    expect(keyAt([[1, 2], [5, 3]], 5)?.value).toBe(3);
    expect(keyAt([[1, 2]], 2)).toBeUndefined();
    expect(numberAt([1, 2, 3], 1)).toBeNull();
  });
});
