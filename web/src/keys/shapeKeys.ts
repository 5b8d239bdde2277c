/** Key shapes among the keys of the timeline. */
import type { KeyKind } from '../workspace/keyKind';
import { isTaken, moveShapeKey, removeShapeKeys } from './commands';
import { allShapeKeys, isShapeKeys } from './read';

export const shapeKeys: KeyKind = {
  noun: 'key',
  owns: isShapeKeys,
  frames: (scene) => allShapeKeys(scene).map(({ frame }) => frame),
  isTaken,
  move: moveShapeKey,
  remove(scene, chosen) {
    const tracks = [...new Set(chosen.map(({ path }) => path))];
    return tracks.flatMap((track) => removeShapeKeys(scene, track, chosen.flatMap(({ path, at }) => (path === track ? [at] : []))));
  },
  select: (studio, path) => studio.select(path.slice(0, -'.keys'.length)),
};
