/**
 * The scene as the document event brings it, and the paths of its parts (`body.jelly.director.swim`, `obstacle[0]`) as
 * `sinew_scene::Command` writes them.
 */
import type { Json } from './generated/protocol';
import { isTable, valueAt } from './sceneValue';

export { isTable, valueAt };
export type { Json };
export type Table = { [key: string]: Json };

/** The path of an entry of a list of named things: by name where it has one, so that it survives its neighbours. */
export function entryPath(list: string, entries: readonly Json[], index: number): string {
  const name = nameOf(entries[index]);
  return name !== null && indexOf(entries, name) === index ? `${list}.${name}` : `${list}[${index}]`;
}

export function nameOf(entry: Json | undefined): string | null {
  return isTable(entry) && typeof entry.name === 'string' ? entry.name : null;
}

/** A name that none of `taken` has: `ball`, `ball-2`, `ball-3`. */
export function freeName(wanted: string, taken: Iterable<string | null>): string {
  const known = new Set(taken);
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!known.has(name)) return name;
  }
}

export const list = (scene: Json | undefined, path: string): Json[] => {
  const found = valueAt(scene, path);
  return Array.isArray(found) ? found : [];
};

/** `body.jelly` of `body.jelly.director.swim`. */
export function bodyPathOf(path: string): string | null {
  return /^body(\.[^.[]+|\[\d+\])/.exec(path)?.[0] ?? null;
}

/** Words of the format as people read them: `density_kg_m3` → Density, `look_at` → Look at. */
export function inWords(key: string): string {
  const bare = key.replace(/_(deg|mm|pa|kg_m3|secs|per_sec)$/, '').replaceAll('_', ' ');
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}

function indexOf(entries: readonly Json[], name: string): number {
  return entries.findIndex((entry) => nameOf(entry) === name);
}
