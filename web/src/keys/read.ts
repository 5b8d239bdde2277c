/** Key shapes of a scene, read from its JSON. */
import type { Json } from '../document/generated/protocol';
import { type Table, entryPath, freeName, isTable, list, nameOf } from '../document/scene';

/** A director of key shapes, or of edits of a take. */
export interface KeyTrack {
  kind: 'key_shapes' | 'take_edit';
  /** `body.ball.director.shape`. */
  path: string;
  name: string;
  body: string;
  /** Its place in the body's list of directors. */
  index: number;
  json: Table;
  keys: ShapeKey[];
}

export interface ShapeKey {
  kind: KeyTrack['kind'];
  /** `body.ball.director.shape.keys[2]`. */
  path: string;
  track: string;
  trackName: string;
  director: number;
  /** Its place in the track's list. */
  index: number;
  frame: number;
  name: string;
  json: Table;
}

export function keyTracksOf(scene: Json | undefined, body: string | null): KeyTrack[] {
  if (body === null) return [];
  const directors = list(scene, `${body}.director`);
  return directors.flatMap((json, index): KeyTrack[] => {
    if (!isTable(json) || (json.kind !== 'key_shapes' && json.kind !== 'take_edit') || !Array.isArray(json.keys)) return [];
    const { kind } = json;
    const path = entryPath(`${body}.director`, directors, index);
    const name = nameOf(json) ?? `${kind}-${index + 1}`;
    return [{ kind, path, name, body, index, json, keys: json.keys.flatMap((key, at) => shapeKey(key, at, path, name, index, kind)) }];
  });
}

/** Those whose keys are rest shapes. */
export const shapeTracksOf = (scene: Json | undefined, body: string | null): KeyTrack[] => keyTracksOf(scene, body).filter(({ kind }) => kind === 'key_shapes');

/** The body's edited take. */
export const takeTrackOf = (scene: Json | undefined, body: string | null): KeyTrack | undefined => keyTracksOf(scene, body).find(({ kind }) => kind === 'take_edit');

/** Where it is in the scene, or will be. */
export function takeTrackPath(scene: Json | undefined, body: string): { path: string; name: string } {
  const known = takeTrackOf(scene, body);
  if (known) return known;
  const name = freeName('take', list(scene, `${body}.director`).flatMap((json) => nameOf(json) ?? []));
  return { path: `${body}.director.${name}`, name };
}

function shapeKey(json: Json, index: number, track: string, trackName: string, director: number, kind: KeyTrack['kind']): ShapeKey[] {
  if (!isTable(json) || typeof json.frame !== 'number') return [];
  const source = kind === 'take_edit' ? 'Take' : sourceOf(json);
  return [{ kind, path: `${track}.keys[${index}]`, track, trackName, director, index, frame: json.frame, name: nameOf(json) ?? source, json }];
}

/** All keys of a body in the order of time. */
export function shapeKeysOf(scene: Json | undefined, body: string | null): ShapeKey[] {
  return keyTracksOf(scene, body).flatMap(({ keys }) => keys).sort((a, b) => a.frame - b.frame || a.director - b.director);
}

/** The keys of every body: where time can go. */
export function allShapeKeys(scene: Json | undefined): ShapeKey[] {
  const bodies = list(scene, 'body');
  return bodies.flatMap((_, i) => shapeKeysOf(scene, entryPath('body', bodies, i)));
}

/** Where its shape comes from, in a word. */
export function sourceOf(json: Table): string {
  const formula = ['twist_deg', 'bend_deg', 's_bend_deg'].some((key) => json[key] !== undefined && json[key] !== 0) || isScaled(json.scale);
  if (typeof json.asset === 'string') return formula ? 'Shape and formula' : 'Shape';
  return formula ? 'Formula' : 'Rest';
}

const isScaled = (json: Json | undefined): boolean => Array.isArray(json) && json.some((factor) => factor !== 1);

/** Whether a path is that of a track's keys on the timeline. */
export const isShapeKeys = (path: string): boolean => path.endsWith('.keys');
