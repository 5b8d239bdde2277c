import { expect, test } from 'vitest';
import { curveOf, curveValue } from './channel';
import golden from './wiggly.golden.json';

test('the page swings as the program does, held, cut off and in a cycle', () => {
  expect(golden.length).toBe(3);
  for (const { curve: json, samples } of golden) {
    const curve = curveOf(json)!;
    expect(curve.wiggle).toEqual(json.wiggle);
    for (const [at, value] of samples) expect(curveValue(curve, at!), `${JSON.stringify(json.outside)} at ${at}`).toBeCloseTo(value!, 9);
  }
});

test('an edited curve swings through its new keys', () => {
  const curve = curveOf({ keys: [[1, 0], [9, 2]], wiggle: { period: 6 } })!;
  expect(curve.wiggle).toEqual({ period: 6, damping: 0.2 });
  const moved = { ...curve, keys: [curve.keys[0]!, { ...curve.keys[1]!, value: -3 }] };
  expect(curveValue(moved, 9)).toBeCloseTo(-3, 9);
  expect(curveValue(curve, 9)).toBeCloseTo(2, 9);
});
