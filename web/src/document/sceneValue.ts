/** Values of the scene by the paths that commands use: `body.jelly.director.swim.newton[1]`. */
import type { Json } from './generated/protocol';

type Table = { [key: string]: Json };

/** The value at a path; undefined where there is none. In lists a name (or a kind that is there once) stands for its index. */
export function valueAt(scene: Json | undefined, path: string): Json | undefined {
  return steps(path).reduce<Json | undefined>((value, step) => entry(value, step), scene);
}

/** `a.b[2]` as ['a', 'b', 2]. */
export function steps(path: string): (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
}

function entry(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : value[placeOf(value, step)];
  return isTable(value) && typeof step === 'string' ? value[step] : undefined;
}

function placeOf(list: Json[], name: string): number {
  const named = list.findIndex((item) => isTable(item) && item.name === name);
  if (named >= 0) return named;
  const alike = list.flatMap((item, i) => (isTable(item) && item.name === undefined && item.kind === name ? [i] : []));
  return alike.length === 1 ? alike[0]! : -1;
}

export function isTable(value: Json | undefined): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
