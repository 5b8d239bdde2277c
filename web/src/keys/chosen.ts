/** The key that is being worked on: of the chosen keys (`Studio.chosenKeys`) the key shape that was chosen last. */
import type { Session } from '../client/session.svelte';
import type { ShownKey } from '../client/wire';
import { keyId, readKeyId } from '../workspace/chosenKeys';
import type { Studio } from '../workspace/studio.svelte';
import { type ShapeKey, isShapeKeys, shapeKeysOf } from './read';
import { keysOf } from './state.svelte';

/** How a key shape is named among the chosen keys. */
export const shapeKeyId = ({ track, frame }: Pick<ShapeKey, 'track' | 'frame'>): string => keyId(`${track}.keys`, frame);

export function chosenKey(session: Session, studio: Studio): ShapeKey | null {
  const id = [...studio.chosenKeys].findLast((each) => isShapeKeys(readKeyId(each).path));
  return shapeKeysOf(session.document?.scene, studio.bodyPath).find((key) => shapeKeyId(key) === id) ?? null;
}

/** Chooses the key of a track at a frame, and no other, and selects the track. The key may be on its way to the scene. */
export function chooseAlone(studio: Studio, key: Pick<ShapeKey, 'track' | 'frame'>): void {
  studio.chosenKeys = new Set([shapeKeyId(key)]);
  studio.select(key.track);
}

/** Chooses a key and goes to its frame. */
export function chooseKey(session: Session, studio: Studio, key: ShapeKey): void {
  chooseAlone(studio, key);
  keysOf(studio).point = null;
  keysOf(studio).onion = true;
  if (session.transport?.playing) session.send({ do: 'pause' });
  session.send({ do: 'seek', frame: Math.round(key.frame) });
}

/** The key as the server shows it, with its place and its residual; none until it has. */
export const shownOf = (studio: Studio, key: ShapeKey): ShownKey | undefined =>
  keysOf(studio).shown.find((each) => each.director === key.director && each.key === key.index && each.frame === key.frame);
