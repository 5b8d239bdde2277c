/** All keys of the timeline, of channels and of other kinds: where they are, and what is done with the chosen ones. */
import type { Session } from '../client/session.svelte';
import { curveOf } from '../document/channel';
import { channelsOf } from '../document/channels';
import type { Json, SceneCommand } from '../document/generated/protocol';
import { keyId, readKeyId } from '../workspace/chosenKeys';
import type { KeyKind } from '../workspace/keyKind';
import type { Studio } from '../workspace/studio.svelte';
import { eventKeys } from './events';

/** Kinds of keys beside those of channels: those of workspaces, and events. */
export const keyKinds = ({ workspaces }: Pick<Studio, 'workspaces'>): readonly KeyKind[] => [...workspaces.flatMap(({ timeline }) => timeline?.keys ?? []), eventKeys];

/** Frames with keys, in order. */
export function keyFrames(scene: Json | undefined, kinds: readonly KeyKind[]): number[] {
  const frames = channelsOf(scene).flatMap((channel) => curveOf(channel.json)?.keys.map((key) => key.at) ?? []);
  return [...new Set([...frames, ...kinds.flatMap((kind) => kind.frames(scene))])].sort((a, b) => a - b);
}

export function goToKey(session: Session, studio: Studio, step: 1 | -1): void {
  const frames = keyFrames(session.document?.scene, keyKinds(studio));
  const next = step > 0 ? frames.find((frame) => frame > session.frame) : frames.findLast((frame) => frame < session.frame);
  if (next !== undefined) session.send({ do: 'seek', frame: Math.round(next) });
}

/** One step of the history, however many keys there are. */
export function deleteKeys(session: Session, studio: Studio): void {
  const command = deletion(session.document?.scene, studio.chosenKeys, keyKinds(studio));
  studio.chosenKeys = new Set();
  if (command) session.edit(command);
}

/** What deletes keys; none where there are none. */
export function deletion(scene: Json | undefined, ids: Iterable<string>, kinds: readonly KeyKind[]): SceneCommand | null {
  const chosen = [...ids].map(readKeyId);
  const ofChannels = chosen.filter(({ path }) => !kinds.some((kind) => kind.owns(path))).map(({ path, at }): SceneCommand => ({ do: 'delete_key', path, at }));
  const commands = [...ofChannels, ...kinds.flatMap((kind) => kind.remove(scene, chosen.filter(({ path }) => kind.owns(path))))];
  return commands.length > 1 ? { do: 'batch', label: `delete ${commands.length} keys`, commands } : (commands[0] ?? null);
}

/**
 * Moves keys by whole frames. Those that lead go first, so that no key lands on one that is still to move; none where
 * one would land on a key that stays.
 */
export function moveKeys(scene: Json | undefined, ids: Iterable<string>, by: number, kinds: readonly KeyKind[]): SceneCommand | null {
  const chosen = [...ids].map(readKeyId).sort((a, b) => (by > 0 ? b.at - a.at : a.at - b.at));
  if (chosen.length === 0 || by === 0) return null;
  const kindOf = (path: string): KeyKind | undefined => kinds.find((kind) => kind.owns(path));
  const channels = new Map(channelsOf(scene).map((channel) => [channel.path, channel]));
  const moving = new Set(chosen.map(({ path, at }) => keyId(path, at)));
  const isTaken = ({ path, at }: { path: string; at: number }): boolean => {
    const isMoving = (frame: number): boolean => moving.has(keyId(path, frame));
    const kind = kindOf(path);
    if (kind) return kind.isTaken(scene, path, at + by, isMoving);
    return (curveOf(channels.get(path)?.json)?.keys ?? []).some((key) => key.at === at + by && !isMoving(key.at));
  };
  if (chosen.some(isTaken)) return null;
  const commands = chosen.map(({ path, at }): SceneCommand | null => {
    const kind = kindOf(path);
    return kind ? kind.move(scene, path, at, at + by) : { do: 'move_key', path, from: at, to: at + by };
  });
  if (commands.includes(null)) return null;
  const [first] = chosen;
  const label = chosen.length === 1 ? `move ${kindOf(first!.path)?.noun ?? 'key'} ${first!.at} of ${first!.path}` : `move ${chosen.length} keys`;
  return { do: 'batch', label, commands: commands.filter((command) => command !== null) };
}
