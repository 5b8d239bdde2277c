/** Regions as pieces of line. */
import { type Vec3, add, scale } from '../document/vector';
import { type Frame, type Region, wayOf, worldOf } from './geometry';

const ROUND = 40;

/** Calls `draw` with both ends of each piece. */
export function outline(region: Region, frame: Frame, draw: (a: Vec3, b: Vec3) => void): void {
  const at = (x: number, y: number, z: number): Vec3 => worldOf(frame, [x, y, z]);
  switch (region.kind) {
    case 'cylinder': {
      const { from, to, radius } = region;
      for (const x of [from, to]) circle(at(x, 0, 0), wayOf(frame, [0, radius, 0]), wayOf(frame, [0, 0, radius]), draw);
      for (let i = 0; i < 6; i++) {
        const [y, z] = [radius * Math.cos((i * Math.PI) / 3), radius * Math.sin((i * Math.PI) / 3)];
        draw(at(from, y, z), at(to, y, z));
      }
      return;
    }
    case 'sphere': {
      const { centre, radius } = region;
      const middle = worldOf(frame, centre);
      const axes = ([[radius, 0, 0], [0, radius, 0], [0, 0, radius]] as Vec3[]).map((way) => wayOf(frame, way)) as [Vec3, Vec3, Vec3];
      circle(middle, axes[0], axes[1], draw);
      circle(middle, axes[1], axes[2], draw);
      circle(middle, axes[2], axes[0], draw);
      return;
    }
    case 'box': {
      const { low, high } = region;
      const corner = (bits: number): Vec3 => at(bits & 1 ? high[0] : low[0], bits & 2 ? high[1] : low[1], bits & 4 ? high[2] : low[2]);
      for (let bits = 0; bits < 8; bits++) for (const bit of [1, 2, 4]) if (!(bits & bit)) draw(corner(bits), corner(bits | bit));
      return;
    }
    case 'set':
  }
}

function circle(centre: Vec3, a: Vec3, b: Vec3, draw: (from: Vec3, to: Vec3) => void): void {
  const at = (i: number): Vec3 => {
    const angle = (2 * Math.PI * i) / ROUND;
    return add(centre, add(scale(a, Math.cos(angle)), scale(b, Math.sin(angle))));
  };
  for (let i = 0; i < ROUND; i++) draw(at(i), at(i + 1));
}
