/** The keys of all channels of the scene and its events: where they are, and what is done with the chosen ones. */
import type { Session } from '../client/session.svelte';
import { curveOf } from '../document/channel';
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Channel, channelsOf } from '../document/channels';
import type { Studio } from '../workspace/studio.svelte';
import { isTaken, moveShapeKey, removeShapeKeys } from '../keys/commands';
import { allShapeKeys, isShapeKeys } from '../keys/read';
import { eventFrames, isEvent, moveEvent, removeEvents } from './events';

/** How a chosen key is named: its channel's path, then its frame. */
export const keyId = (path: string, at: number): string => `${path}@${at}`;

export function readKeyId(id: string): { path: string; at: number } {
  const cut = id.lastIndexOf('@');
  return { path: id.slice(0, cut), at: Number(id.slice(cut + 1)) };
}

export function channelsIn(session: Session): Channel[] {
  return channelsOf(session.document?.scene);
}

/** Frames with keys, in order. */
export function keyFrames(scene: Json | undefined): number[] {
  const frames = channelsOf(scene).flatMap((channel) => curveOf(channel.json)?.keys.map((key) => key.at) ?? []);
  return [...new Set([...frames, ...allShapeKeys(scene).map(({ frame }) => frame), ...eventFrames(scene).values()])].sort((a, b) => a - b);
}

export function goToKey(session: Session, step: 1 | -1): void {
  const frames = keyFrames(session.document?.scene);
  const next = step > 0 ? frames.find((frame) => frame > session.frame) : frames.findLast((frame) => frame < session.frame);
  if (next !== undefined) session.send({ do: 'seek', frame: Math.round(next) });
}

/** One step of the history, however many keys there are. */
export function deleteKeys(session: Session, studio: Studio): void {
  const command = deletion(session.document?.scene, studio.chosenKeys);
  studio.chosenKeys = new Set();
  if (command) session.edit(command);
}

/** What deletes keys and events; none where there are none. */
export function deletion(scene: Json | undefined, ids: Iterable<string>): SceneCommand | null {
  const chosen = [...ids].map(readKeyId);
  const keys = chosen.filter(({ path }) => !isEvent(path) && !isShapeKeys(path)).map(({ path, at }): SceneCommand => ({ do: 'delete_key', path, at }));
  const tracks = [...new Set(chosen.map(({ path }) => path).filter(isShapeKeys))];
  const shapes = tracks.flatMap((track) => removeShapeKeys(scene, track, chosen.flatMap(({ path, at }) => (path === track ? [at] : []))));
  const commands = [...keys, ...shapes, ...removeEvents(chosen.map(({ path }) => path).filter(isEvent))];
  return commands.length > 1 ? { do: 'batch', label: `delete ${commands.length} keys`, commands } : (commands[0] ?? null);
}

/**
 * Moves keys by whole frames. Those that lead go first, so that no key lands on one that is still to move; none where
 * one would land on a key that stays.
 */
export function moveKeys(scene: Json | undefined, ids: Iterable<string>, by: number): SceneCommand | null {
  const chosen = [...ids].map(readKeyId).sort((a, b) => (by > 0 ? b.at - a.at : a.at - b.at));
  if (chosen.length === 0 || by === 0) return null;
  const channels = new Map(channelsOf(scene).map((channel) => [channel.path, channel]));
  const moving = new Set(chosen.map(({ path, at }) => keyId(path, at)));
  for (const { path, at } of chosen) {
    if (isShapeKeys(path) && isTaken(scene, path, at + by, (frame) => moving.has(keyId(path, frame)))) return null;
    const keys = curveOf(channels.get(path)?.json)?.keys ?? [];
    if (keys.some((key) => key.at === at + by && !moving.has(keyId(path, key.at)))) return null;
  }
  const commands = chosen.map(({ path, at }): SceneCommand | null => {
    if (isEvent(path)) return moveEvent(scene, path, at + by);
    return isShapeKeys(path) ? moveShapeKey(scene, path, at, at + by) : { do: 'move_key', path, from: at, to: at + by };
  });
  if (commands.includes(null)) return null;
  return { do: 'batch', label: chosen.length === 1 ? `move ${isEvent(chosen[0]!.path) ? 'event' : 'key'} ${chosen[0]!.at} of ${chosen[0]!.path}` : `move ${chosen.length} keys`, commands: commands.filter((command) => command !== null) };
}
