import { expect, it } from 'vitest';
import { facing } from './swing';

it('a cut is looked at against its normal, the shorter way round', () => {
  expect(facing([1, 0, 0], 0)).toEqual({ yaw: Math.PI / 2, pitch: 0 });
  expect(facing([0, 0, -2], -3).yaw).toBeCloseTo(-Math.PI);
  expect(facing([0, 0, -2], 3).yaw).toBeCloseTo(Math.PI);
  // From straight above, the way it was turned stays.
  expect(facing([0, 5, 0], 0.7).yaw).toBe(0.7);
  expect(facing([0, 5, 0], 0.7).pitch).toBeGreaterThan(1.3);
});
