import { describe, expect, it } from 'vitest';
import { type Vec3, dot, length, normalize, rayOnPlane, sub } from '../document/vector';
import { parseRgba } from './ground';
import { Orbit } from './orbit';

const view = { widthPx: 800, heightPx: 600 };
const near = (a: Vec3, b: Vec3): void => a.forEach((value, i) => expect(value).toBeCloseTo(b[i]!, 9));

describe('the camera', () => {
  it('looks where it is told to', () => {
    const orbit = new Orbit();
    orbit.lookFrom([3, 2, -1], [1, 1, 1]);
    near(orbit.eye, [3, 2, -1]);
    near(orbit.ray(400, 300, view).direction, normalize([-2, -1, 2]));
    orbit.lookAlong(0, 1);
    near(orbit.forward, [-1, 0, 0]);
    near(orbit.seenAxes()[1], [0, 1, 0]);
  });

  it('keeps its distance while it turns and never goes over the pole', () => {
    const orbit = new Orbit();
    orbit.turn(120, 5000);
    expect(length(sub(orbit.eye, orbit.target))).toBeCloseTo(orbit.distanceM, 9);
    expect(orbit.pitch).toBeLessThan(Math.PI / 2);
    expect(orbit.ray(10, 10, view).direction.every(Number.isFinite)).toBe(true);
  });

  it('pans what is under the pointer along with it', () => {
    const orbit = new Orbit();
    const facing = orbit.forward;
    const held = orbit.target;
    const before = rayOnPlane(orbit.ray(500, 200, view), held, facing)!;
    orbit.pan(60, -25, view);
    near(rayOnPlane(orbit.ray(560, 175, view), held, facing)!, before);
  });

  it('zooms towards what is under the pointer', () => {
    const orbit = new Orbit();
    const [facing, held] = [orbit.forward, orbit.target];
    const before = rayOnPlane(orbit.ray(500, 200, view), held, facing)!;
    orbit.zoom(-4, { xPx: 500, yPx: 200, view });
    near(rayOnPlane(orbit.ray(500, 200, view), held, facing)!, before);
    const { target } = orbit;
    orbit.zoom(3);
    near(orbit.target, target);
  });

  it('frames a ball so that its rim is in the picture', () => {
    const orbit = new Orbit();
    for (const shape of [view, { widthPx: 300, heightPx: 900 }]) {
      orbit.frame([1, 2, 3], 0.5, shape);
      const rim = Math.asin(0.5 / orbit.distanceM);
      const corner = (x: number, y: number): number => Math.acos(dot(orbit.ray(x, y, shape).direction, orbit.forward));
      expect(rim).toBeLessThan(corner(shape.widthPx / 2, 0));
      expect(rim).toBeLessThan(corner(0, shape.heightPx / 2));
    }
  });
});

describe('colours with opacity', () => {
  it('are read in both spellings', () => {
    expect(parseRgba('rgba(255, 255, 255, .07)')).toEqual({ colour: '#ffffff', alpha: 0.07 });
    expect(parseRgba('#141a2217').colour).toBe('#141a22');
    expect(parseRgba('#141a2217').alpha).toBeCloseTo(0.09, 2);
    expect(parseRgba('#fff')).toEqual({ colour: '#ffffff', alpha: 1 });
  });
});
