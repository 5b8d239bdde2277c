/** Edits of key shapes, as commands of the scene. Pure: what they do is told by the scene they are given. */
import type { Json, SceneCommand } from '../document/generated/protocol';
import { type Table, isTable, list } from '../document/scene';
import type { ShapeKey } from './read';

const framesOf = (scene: Json | undefined, path: string): number[] => list(scene, path).map((key) => (isTable(key) ? Number(key.frame) : NaN));

/** Moves the key of a track (`….keys`) at a frame; none where there is none. */
export function moveShapeKey(scene: Json | undefined, path: string, from: number, to: number): SceneCommand | null {
  const index = framesOf(scene, path).indexOf(from);
  return index < 0 ? null : { do: 'set', path: `${path}[${index}].frame`, value: to };
}

/** Whether another key than those at `moving` stands at a frame. */
export function isTaken(scene: Json | undefined, path: string, frame: number, moving: (at: number) => boolean): boolean {
  return framesOf(scene, path).some((at) => at === frame && !moving(at));
}

/** Takes keys of one track away; without any it goes, too. */
export function removeShapeKeys(scene: Json | undefined, path: string, frames: readonly number[]): SceneCommand[] {
  const all = framesOf(scene, path);
  const gone = all.flatMap((at, index) => (frames.includes(at) ? [index] : []));
  if (gone.length > 0 && gone.length === all.length) return [{ do: 'remove', path: path.slice(0, -'.keys'.length) }];
  return gone.reverse().map((index) => ({ do: 'remove', path: `${path}[${index}]` }));
}

/** The same shape once more at another frame, where it replaces a key. */
export function copyShapeKey(scene: Json | undefined, key: ShapeKey, to: number): SceneCommand | null {
  if (to === key.frame) return null;
  const path = `${key.track}.keys`;
  const others = list(scene, path).filter((each) => isTable(each) && each.frame !== to).map((each) => bareKey(each as Table));
  const copy: Table = { ...bareKey(key.json), frame: to };
  if (copy.rest !== undefined) delete copy.lead;
  delete copy.rest; // found for another moment
  delete copy.rest_for;
  delete copy.name;
  // Edits of a take are layers, in the order they were made.
  const keys = key.kind === 'take_edit' ? [...others, copy] : [...others, copy].sort((a, b) => Number(a.frame) - Number(b.frame));
  return { do: 'batch', label: `copy key ${key.frame} to ${to}`, commands: [{ do: 'set', path, value: keys }] };
}

/** A key as a file would say it: without what is so anyway. */
export function bareKey(json: Table): Table {
  const usual: Table = { twist_deg: 0, bend_deg: 0, s_bend_deg: 0, lead: 0, along: 'x', bend_about: 'z' };
  const isUsual = (name: string, value: Json): boolean => value === null || usual[name] === value || (name === 'scale' && Array.isArray(value) && value.every((factor) => factor === 1));
  return Object.fromEntries(Object.entries(json).filter(([name, value]) => !isUsual(name, value)));
}

/** Lets the key's own shape be its rest shape again, at its own frame. */
export const forgetExact = (key: ShapeKey): SceneCommand => ({
  do: 'batch', label: `forget the rest shape of key ${key.frame}`,
  commands: ['rest', 'rest_for', 'lead'].filter((word) => key.json[word] !== undefined && key.json[word] !== null).map((word) => ({ do: 'unset', path: `${key.path}.${word}` })),
});
