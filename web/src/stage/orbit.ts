/** Where the camera is: on a sphere about what it looks at. Plain numbers, so that gestures are tested without a GPU. */
import { type Ray, type Vec3, add, cross, length, normalize, scale, sub } from '../document/vector';

export interface View {
  widthPx: number;
  heightPx: number;
}

/** A hair's breadth off the poles, where "up" would flip. */
const STEEPEST = Math.PI / 2 - 0.02;

export class Orbit {
  target: Vec3 = [0, 0, 0];
  distanceM = 3;
  /** About the y axis, from +z towards +x. */
  yaw = 0.6;
  /** Above the horizon. */
  pitch = 0.3;
  fovDeg = 35;
  /** Parallel sight: as large everywhere as a perspective view is at the target. */
  flat = false;

  get eye(): Vec3 {
    const flat = Math.cos(this.pitch);
    const out: Vec3 = [flat * Math.sin(this.yaw), Math.sin(this.pitch), flat * Math.cos(this.yaw)];
    return add(this.target, scale(out, this.distanceM));
  }

  lookFrom(eye: Vec3, target: Vec3): void {
    const out = sub(eye, target);
    const away = length(out);
    if (away < 1e-6) return;
    this.target = target;
    this.distanceM = away;
    this.yaw = Math.atan2(out[0], out[2]);
    this.pitch = clamp(Math.asin(out[1] / away), -STEEPEST, STEEPEST);
  }

  turn(dxPx: number, dyPx: number): void {
    const perPx = 0.0075;
    this.yaw -= dxPx * perPx;
    this.pitch = clamp(this.pitch + dyPx * perPx, -STEEPEST, STEEPEST);
  }

  /** Moves target and eye so that what is under the pointer stays there (at the target's distance). */
  pan(dxPx: number, dyPx: number, view: View): void {
    const perPx = (2 * this.distanceM * Math.tan(this.halfFov)) / view.heightPx;
    const { right, up } = this.axes();
    this.target = add(this.target, add(scale(right, -dxPx * perPx), scale(up, dyPx * perPx)));
  }

  /** Nearer or farther; what is seen at a pixel of the view stays there (at the target's distance), or the middle does. */
  zoom(notches: number, at?: { xPx: number; yPx: number; view: View }): void {
    const before = this.distanceM;
    this.distanceM = clamp(before * Math.exp(notches * 0.12), 1e-3, 1e5);
    if (!at) return;
    const { right, up } = this.axes();
    const perPx = (2 * (before - this.distanceM) * Math.tan(this.halfFov)) / at.view.heightPx;
    const [x, y] = [at.xPx - at.view.widthPx / 2, at.view.heightPx / 2 - at.yPx];
    this.target = add(this.target, add(scale(right, x * perPx), scale(up, y * perPx)));
  }

  /** Puts a ball in the middle and far enough away to be seen whole. */
  frame(centre: Vec3, radiusM: number, view: View): void {
    const narrow = Math.min(1, view.widthPx / Math.max(1, view.heightPx));
    this.target = centre;
    this.distanceM = Math.max(1e-3, (1.15 * radiusM) / (Math.sin(this.halfFov) * narrow));
  }

  /** The ray through a pixel, from the view's top left corner. */
  ray(xPx: number, yPx: number, view: View): Ray {
    const { right, up, forward } = this.axes();
    const tall = Math.tan(this.halfFov);
    const x = ((2 * xPx) / view.widthPx - 1) * tall * (view.widthPx / view.heightPx);
    const y = (1 - (2 * yPx) / view.heightPx) * tall;
    if (this.flat) {
      const aside = add(scale(right, x * this.distanceM), scale(up, y * this.distanceM));
      // From far enough behind the eye that nothing of the body lies behind it.
      return { origin: add(add(this.eye, aside), scale(forward, -this.distanceM * 4)), direction: forward };
    }
    return { origin: this.eye, direction: normalize(add(forward, add(scale(right, x), scale(up, y)))) };
  }

  /** Looks along an axis at the target: from +x, +y, … */
  lookAlong(axis: 0 | 1 | 2, sign: 1 | -1): void {
    if (axis === 1) [this.pitch, this.yaw] = [sign * STEEPEST, 0];
    else [this.pitch, this.yaw] = [0, axis === 0 ? (sign * Math.PI) / 2 : sign > 0 ? 0 : Math.PI];
  }

  /** The world's axes as seen: x to the right, y up, z towards the eye. */
  seenAxes(): [Vec3, Vec3, Vec3] {
    const { right, up, forward } = this.axes();
    const seen = (axis: 0 | 1 | 2): Vec3 => [right[axis], up[axis], -forward[axis]];
    return [seen(0), seen(1), seen(2)];
  }

  get forward(): Vec3 {
    return normalize(sub(this.target, this.eye));
  }

  /** Half of what is seen from foot to head at the target's distance. */
  get halfHeightM(): number {
    return this.distanceM * Math.tan(this.halfFov);
  }

  private get halfFov(): number {
    return (this.fovDeg * Math.PI) / 360;
  }

  private axes(): { right: Vec3; up: Vec3; forward: Vec3 } {
    const forward = this.forward;
    const right = normalize(cross(forward, [0, 1, 0]));
    return { right, up: cross(right, forward), forward };
  }
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
