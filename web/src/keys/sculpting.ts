/** A key's shape in the hand: which key, which part, and the edits that the server carries out on it. */
import { Quaternion, Vector3 } from 'three';
import type { Session } from '../client/session.svelte';
import type { ShownKey } from '../client/wire';
import type { ShapeEdit, ShapePart } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import type { Viewport } from '../stage/viewport';
import type { Studio } from '../workspace/studio.svelte';
import { chosenKey, shownOf } from './chosen';
import type { ShapeKey } from './read';
import { keysOf } from './state.svelte';

export interface InHand {
  key: ShapeKey;
  shown: ShownKey;
}

/** The chosen key as it stands in the view; why there is none is told to the user. */
export function keyInHand(session: Session, studio: Studio): InHand | null {
  const key = chosenKey(session, studio);
  const shown = key && shownOf(studio, key);
  if (key && shown) return { key, shown };
  session.refused = 'Choose a key first: in the list, on the timeline or in the view. I makes one here.';
  return null;
}

export function sendEdit(session: Session, { key, shown }: InHand, edit: ShapeEdit): void {
  session.send({ do: 'sculpt', body: shown.body, director: key.trackName, frame: key.frame, edit });
}

/** An edit that is a whole gesture. */
export function editOnce(session: Session, studio: Studio, make: (part: ShapePart) => ShapeEdit, viewport: Viewport | null): void {
  const hand = keyInHand(session, studio);
  if (!hand || !viewport) return;
  sendEdit(session, hand, make(partOf(studio, viewport, hand.shown)));
  session.send({ do: 'sculpt_end', keep: true });
}

/** The diagonal of the box about the body at rest. */
export function sizeOf(viewport: Viewport, body: number): number {
  const rest = viewport.body(body)?.model.rest;
  if (!rest) return 1;
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = 0; i < rest.length; i++) {
    low[i % 3] = Math.min(low[i % 3]!, rest[i]!);
    high[i % 3] = Math.max(high[i % 3]!, rest[i]!);
  }
  return Math.hypot(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!);
}

export const reachM = (studio: Studio, viewport: Viewport, body: number): number => keysOf(studio).reach * sizeOf(viewport, body);

/** The part that is worked on, by the numbers that sets of the scene have. */
export function partOf(studio: Studio, viewport: Viewport, shown: ShownKey): ShapePart {
  const { part } = keysOf(studio);
  const numbers = viewport.body(shown.body)?.model.numbers;
  const falloff = Number((0.5 * reachM(studio, viewport, shown.body)).toPrecision(4));
  return part.size > 0 && numbers ? { points: [...part].map((point) => numbers[point]!), falloff } : { falloff };
}

/** A direction of the world in the key's own axes. */
export function inKey(shown: ShownKey, of: Vec3): Vec3 {
  const turned = new Vector3(...of).applyQuaternion(new Quaternion(...shown.turn).invert());
  return [turned.x, turned.y, turned.z];
}

/** The axis that a direction is nearest to: 0, 1 or 2. */
export function nearestAxis(of: Vec3): 0 | 1 | 2 {
  const [x, y, z] = of.map(Math.abs) as Vec3;
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

export const AXES: readonly Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
