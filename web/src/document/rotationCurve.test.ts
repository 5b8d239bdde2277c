import { expect, test } from 'vitest';
import golden from './rotationCurve.golden.json';
import { type Quaternion, RotationCurve } from './rotationCurve';

test('the page turns as the program does, at unequal keys', () => {
  const keys = golden.keys.map(([at, turn]) => ({ at: at as number, turn: turn as Quaternion }));
  const curve = new RotationCurve(keys);
  expect(golden.samples.length).toBeGreaterThan(50);
  for (const [at, wanted] of golden.samples) {
    const turn = curve.turn(at as number);
    (wanted as Quaternion).forEach((part, i) => expect(turn[i], `at ${at}`).toBeCloseTo(part, 10));
  }
});

test('one key holds for ever, and none is refused', () => {
  const one = new RotationCurve([{ at: 3, turn: [0, 0, 0, 2] }]);
  expect([one.turn(-1), one.turn(9)]).toEqual([[0, 0, 0, 1], [0, 0, 0, 1]]);
  expect(() => new RotationCurve([])).toThrow();
});
