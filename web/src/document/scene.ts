/**
 * The scene as the document event brings it, and the paths of its parts (`body.jelly.director.swim`, `obstacle[0]`) as
 * `sinew_scene::Command` writes them.
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Table = { [key: string]: Json };

export interface SceneJson extends Table {
  scene: Table;
}

/** A step of a path: a key or name, or an index. */
type Step = string | number;

export function split(path: string): Step[] {
  return path.split('.').flatMap((part): Step[] => {
    const [name = '', ...indices] = part.split('[');
    return [name, ...indices.map((index) => Number.parseInt(index, 10))];
  });
}

/** What stands at a path; undefined where there is nothing. Names stand for indices in lists of named things. */
export function at(scene: Json | undefined, path: string): Json | undefined {
  let here: Json | undefined = scene;
  for (const step of split(path)) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here[step] : here[indexOf(here, step)];
    else if (isTable(here)) here = here[String(step)];
    else return undefined;
  }
  return here;
}

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
  const found = at(scene, path);
  return Array.isArray(found) ? found : [];
};

/** `body.jelly` of `body.jelly.director.swim`. */
export function bodyPathOf(path: string): string | null {
  return /^body(\.[^.[]+|\[\d+\])/.exec(path)?.[0] ?? null;
}

export const isTable = (value: Json | undefined): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Words of the format as people read them: `density_kg_m3` → Density, `look_at` → Look at. */
export function inWords(key: string): string {
  const bare = key.replace(/_(deg|mm|pa|kg_m3|secs|per_sec)$/, '').replaceAll('_', ' ');
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}

function indexOf(entries: readonly Json[], name: string): number {
  const named = entries.findIndex((entry) => nameOf(entry) === name);
  if (named >= 0) return named;
  // A director without a name answers to its kind while it is the only one of it.
  const kinds = entries.flatMap((entry, i) => (isTable(entry) && entry.kind === name && nameOf(entry) === null ? [i] : []));
  return kinds.length === 1 ? kinds[0]! : -1;
}
