/** Pins in the scene: sets of flesh points by number, and the directors that hold them. */
import type { Model } from '../../client/wire';
import type { Json, SceneCommand } from '../../document/generated/protocol';
import { type Table, freeName, isTable, list, nameOf, valueAt } from '../../document/scene';

/** New, or more or fewer points of the pin that is selected. */
export type PinMode = 'new' | 'add' | 'take';

/** A flesh point belongs to what was chosen if it carries a chosen skin vertex by at least this much. */
const CARRIES = 0.3;

/** The flesh points under chosen skin vertices. */
export function fleshUnder({ rowStart, rowPoint, rowWeight }: Model, vertices: Iterable<number>): Set<number> {
  const points = new Set<number>();
  for (const vertex of vertices) {
    let [most, strongest] = [-1, -Infinity];
    for (let term = rowStart[vertex]!; term < rowStart[vertex + 1]!; term++) {
      const [point, weight] = [rowPoint[term]!, rowWeight[term]!];
      if (weight >= CARRIES) points.add(point);
      if (weight > strongest) [most, strongest] = [point, weight];
    }
    if (most >= 0) points.add(most);
  }
  return points;
}

/** The pin that more points go to: the selected director, or the one that acts on the selected set. */
export function selectedPin(scene: Json | undefined, body: string, selection: string | null): { director: string; set: string } | null {
  const directors = list(scene, `${body}.director`);
  for (const director of directors) {
    if (!isTable(director) || director.kind !== 'pin' || typeof director.on !== 'string') continue;
    const name = nameOf(director);
    const isIt = selection === `${body}.director.${name ?? 'pin'}` || selection === `${body}.sets.${director.on}`;
    const set = valueAt(scene, `${body}.sets.${director.on}`);
    if (isIt && isTable(set) && Array.isArray(set.vertices)) return { director: name ?? 'pin', set: director.on };
  }
  return null;
}

/** One step that pins points, given by their numbers in scene files; what to select then. */
export function pinCommand(
  scene: Json | undefined, body: string, selection: string | null, numbers: readonly number[], mode: PinMode,
): { command: SceneCommand; select: string } | null {
  const chosen = [...new Set(numbers)].sort((a, b) => a - b);
  const pin = mode === 'new' ? null : selectedPin(scene, body, selection);
  if (!pin) return mode === 'take' || chosen.length === 0 ? null : newPin(scene, body, chosen);
  const path = `${body}.sets.${pin.set}.vertices`;
  const old = list(scene, path).map(Number);
  const drop = new Set(chosen);
  const next = mode === 'add' ? [...new Set([...old, ...chosen])].sort((a, b) => a - b) : old.filter((number) => !drop.has(number));
  const select = `${body}.director.${pin.director}`;
  if (next.length === 0) {
    // Nothing left to hold: the pin goes, and its set.
    const commands: SceneCommand[] = [{ do: 'remove', path: select }, { do: 'remove', path: `${body}.sets.${pin.set}` }];
    return { command: { do: 'batch', label: `remove ${select}`, commands }, select: body };
  }
  return { command: { do: 'set', path, value: next }, select };
}

function newPin(scene: Json | undefined, body: string, numbers: number[]): { command: SceneCommand; select: string } {
  const sets = valueAt(scene, `${body}.sets`);
  const taken = [...(isTable(sets) ? Object.keys(sets) : []), ...list(scene, `${body}.director`).map(nameOf)];
  const name = freeName('pin', taken);
  const director: Table = { name, kind: 'pin', on: name };
  const commands: SceneCommand[] = [
    { do: 'add', to: `${body}.sets`, name, value: { vertices: numbers } },
    { do: 'add', to: `${body}.director`, value: director },
  ];
  return { command: { do: 'batch', label: `pin ${numbers.length} points of ${body}`, commands }, select: `${body}.director.${name}` };
}
