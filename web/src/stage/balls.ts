/** Balls around what is to be framed. */
import { Vector3 } from 'three';
import type { SoftBody } from './softBody';

export interface Ball {
  centre: Vector3;
  radiusM: number;
}

/** About a body's box: its own middle is where its mass is, and a long tail would hang out of the picture. */
export function boxBall(body: SoftBody): Ball {
  const { centre, reach } = body.box();
  return { centre, radiusM: Math.hypot(...reach) };
}

/** A ball that holds others. */
export function ballAround(balls: readonly Ball[]): Ball {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  for (const { centre, radiusM } of balls) {
    low.min(centre.clone().subScalar(radiusM));
    high.max(centre.clone().addScalar(radiusM));
  }
  const middle = low.add(high).multiplyScalar(0.5);
  return { centre: middle, radiusM: Math.max(...balls.map(({ centre, radiusM }) => centre.distanceTo(middle) + radiusM)) };
}
