/** A view that goes along with the scene's camera, until someone turns it. */
import { isKeyed, numberAt } from '../document/channel';
import type { Json } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import type { Orbit } from './orbit';

export interface Sight {
  eye: Vec3;
  lookAt: Vec3;
}

/** Where the camera of a scene stands at a frame, and what it looks at; none where it does not move. */
export function sightAt(scene: Json | undefined, frame: number): Sight | null {
  const camera = (scene as { camera?: { eye?: Json; look_at?: Json } } | undefined)?.camera;
  if (![camera?.eye, camera?.look_at].flat().some(isKeyed)) return null;
  const [eye, lookAt] = [camera?.eye, camera?.look_at].map((point) => pointAt(point, frame));
  return eye && lookAt ? { eye, lookAt } : null;
}

function pointAt(json: Json | undefined, frame: number): Vec3 | null {
  if (!Array.isArray(json) || json.length !== 3) return null;
  const [x, y, z] = json.map((channel) => numberAt(channel, frame));
  return x == null || y == null || z == null ? null : [x, y, z];
}

export class CameraRide {
  /** Where the view was put last: one that is elsewhere has been turned since. */
  private stood: string | null = null;

  /** Begins where the view is. */
  begin(orbit: Orbit): void {
    this.stood = placeOf(orbit);
  }

  /** Whether the view moved. */
  goTo(orbit: Orbit, sight: Sight | null): boolean {
    if (!sight || this.stood !== placeOf(orbit)) return false;
    orbit.lookFrom(sight.eye, sight.lookAt);
    const moved = this.stood !== placeOf(orbit);
    this.stood = placeOf(orbit);
    return moved;
  }
}

const placeOf = ({ target, distanceM, yaw, pitch }: Orbit): string => [...target, distanceM, yaw, pitch].join();
