/** The numbers of a part of the scene that have keys over frames. */
import { type Curve, curveOf } from '../document/channel';
import type { Json } from '../document/generated/protocol';
import { inWords, isTable, nameOf } from '../document/scene';

export interface Track {
  path: string;
  name: string;
  curve: Curve;
}

/** Charts are over the phase, not over frames. */
const CHARTS = new Set(['primary', 'secondary', 'tertiary']);

/** Keyed numbers at `path` and below, in the order of the scene. */
export function tracksIn(json: Json | undefined, path: string, words: readonly string[] = []): Track[] {
  if (json === undefined || json === null || typeof json !== 'object') return [];
  if (looksLikeKeys(json)) return [{ path, name: words.join(' · ') || path, curve: curveOf(json)! }];
  if (Array.isArray(json)) {
    return json.flatMap((entry, i) => {
      const name = nameOf(entry);
      const axis = json.length === 3 && !isTable(entry) ? ['x', 'y', 'z'][i]! : undefined;
      const here = name === null ? `${path}[${i}]` : `${path}.${name}`;
      return tracksIn(entry, here, [...words, axis ?? name ?? String(i + 1)]);
    });
  }
  return Object.entries(json).flatMap(([key, entry]) => {
    if (CHARTS.has(key)) return [];
    const list = key === 'director' || key === 'body' || key === 'obstacle';
    return tracksIn(entry, path === '' ? key : `${path}.${key}`, list ? words : [...words, inWords(key)]);
  });
}

/** `[[1, 0], [12, 1, "smooth"]]`, or a table of such keys. Points of a line have three numbers and are none. */
function looksLikeKeys(json: Json): boolean {
  const keys = Array.isArray(json) ? json : isTable(json) && Array.isArray(json.keys) ? json.keys : null;
  if (!keys || keys.length === 0) return false;
  return keys.every((key) => Array.isArray(key) && key.length >= 2 && key.length <= 3 && typeof key[0] === 'number' && typeof key[1] === 'number' && typeof key[2] !== 'number');
}
