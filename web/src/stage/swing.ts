/** Turns a view about a place until it is looked at from a direction, in a moment, unless the hand turns it meanwhile. */
import { type Vec3, length } from '../document/vector';
import type { Orbit } from './orbit';

const MOMENT_MS = 280;

/** Yaw and pitch from which one looks at something against `out`; the shorter way round from `yaw`. */
export function facing(out: Vec3, yaw: number): { yaw: number; pitch: number } {
  const size = length(out) || 1;
  const upright = Math.hypot(out[0], out[2]) < 1e-3 * size;
  const wanted = upright ? yaw : Math.atan2(out[0], out[2]);
  const round = 2 * Math.PI;
  return { yaw: wanted + round * Math.round((yaw - wanted) / round), pitch: Math.asin(Math.max(-0.98, Math.min(0.98, out[1] / size))) };
}

export function swingTo(orbit: Orbit, out: Vec3, draw: () => void): void {
  const from = { yaw: orbit.yaw, pitch: orbit.pitch };
  const to = facing(out, orbit.yaw);
  let last = { ...from };
  const began = performance.now();
  const step = (now: number): void => {
    if (orbit.yaw !== last.yaw || orbit.pitch !== last.pitch) return; // someone else turns it
    const t = Math.min(1, Math.max(0, (now - began) / MOMENT_MS));
    const eased = t * t * (3 - 2 * t);
    orbit.yaw = from.yaw + (to.yaw - from.yaw) * eased;
    orbit.pitch = from.pitch + (to.pitch - from.pitch) * eased;
    last = { yaw: orbit.yaw, pitch: orbit.pitch };
    draw();
    if (t < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
