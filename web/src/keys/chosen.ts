/** The key that is being worked on. */
import type { Session } from '../client/session.svelte';
import type { ShownKey } from '../client/wire';
import type { Studio } from '../workspace/studio.svelte';
import { type ShapeKey, shapeKeysOf } from './read';

export function chosenKey(session: Session, studio: Studio): ShapeKey | null {
  const { chosen } = studio.keys;
  if (!chosen) return null;
  return shapeKeysOf(session.document?.scene, studio.bodyPath).find(({ track, frame }) => track === chosen.track && frame === chosen.frame) ?? null;
}

/** Chooses a key, selects its track and goes to its frame. */
export function chooseKey(session: Session, studio: Studio, key: ShapeKey): void {
  studio.keys.chosen = { track: key.track, frame: key.frame };
  studio.keys.point = null;
  studio.keys.onion = true;
  studio.chosenKeys = new Set([`${key.track}.keys@${key.frame}`]);
  studio.select(key.track);
  if (session.transport?.playing) session.send({ do: 'pause' });
  session.send({ do: 'seek', frame: Math.round(key.frame) });
}

/** The key as the server shows it, with its place and its residual; none until it has. */
export const shownOf = (session: Session, key: ShapeKey): ShownKey | undefined =>
  session.keys.find((each) => each.director === key.director && each.key === key.index && each.frame === key.frame);
