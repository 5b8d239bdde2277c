import { describe, expect, it } from 'vitest';
import { Orbit } from './orbit';
import { CameraRide, sightAt } from './ride';

const scene = { camera: { eye: [1, [[1, 1, 'linear'], [11, 2]], 3], look_at: [0, [[1, 1, 'linear'], [11, 2]], 0] } };

describe('a view of a scene whose camera moves', () => {
  it('goes along with it', () => {
    const [orbit, ride] = [new Orbit(), new CameraRide()];
    orbit.lookFrom([1, 1, 3], [0, 1, 0]);
    ride.begin(orbit);
    expect(ride.goTo(orbit, sightAt(scene, 1))).toBe(false);
    expect(ride.goTo(orbit, sightAt(scene, 6))).toBe(true);
    expect(orbit.target).toEqual([0, 1.5, 0]);
    orbit.eye.forEach((at, i) => expect(at).toBeCloseTo([1, 1.5, 3][i]!, 12));
  });

  it('stays where someone turned it', () => {
    const [orbit, ride] = [new Orbit(), new CameraRide()];
    orbit.lookFrom([1, 1, 3], [0, 1, 0]);
    ride.begin(orbit);
    orbit.turn(20, 0);
    const { eye } = orbit;
    expect(ride.goTo(orbit, sightAt(scene, 6))).toBe(false);
    expect(orbit.eye).toEqual(eye);
  });

  it('has nothing to go along with where the camera stands', () => {
    expect(sightAt({}, 1)).toBeNull();
    expect(sightAt({ camera: { eye: [0, 1, 2], look_at: [0, 0, 0] } }, 1)).toBeNull();
  });
});
