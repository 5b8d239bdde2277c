/** The unit and the axis of a mesh file: another one makes the body larger, smaller or turns it, and it stands on the ground all the same. */
import type { SceneCommand } from '../document/generated/protocol';
import { isTable, type Table } from '../document/scene';
import type { Studio } from '../workspace/studio.svelte';

export const METRES: Record<string, number> = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048 };

/** One step of the history. `rest` is the skin at rest as it is now: x, y and z of each vertex. */
export function inOtherFrame(path: string, body: Table, rest: ArrayLike<number>, key: 'unit' | 'up', to: string): SceneCommand {
  const skin = isTable(body.skin) ? body.skin : {};
  const times = key === 'unit' ? (METRES[to] ?? 1) / (METRES[String(skin.unit ?? 'm')] ?? 1) : 1;
  const turns = key === 'up' && to !== (skin.up ?? 'y');
  // A file with z up is turned about x: what was z is y, and the other way round.
  const height = (i: number): number => (turns ? (to === 'z' ? rest[i + 2]! : -rest[i + 2]!) : rest[i + 1]!);
  let low = Infinity;
  for (let i = 0; i < rest.length; i += 3) low = Math.min(low, times * height(i));
  const at = Array.isArray(body.at) ? body.at : [0, 0, 0];
  const short = (value: number): number => Number(value.toPrecision(5)) + 0;
  const commands: SceneCommand[] = [
    { do: 'set', path: `${path}.skin.${key}`, value: to },
    { do: 'set', path: `${path}.at`, value: [at[0] ?? 0, Number.isFinite(low) ? short(-low) : (at[1] ?? 0), at[2] ?? 0] },
  ];
  const material = isTable(body.material) ? body.material : {};
  // As stiff for its size as it was: it stands as it did.
  if (times !== 1 && typeof material.young_pa === 'number') commands.push({ do: 'set', path: `${path}.material.young_pa`, value: short(times * material.young_pa) });
  return { do: 'batch', label: `read ${String(skin.mesh ?? 'the mesh')} ${key === 'unit' ? `in ${to}` : `with ${to} up`}`, commands };
}

/** Frames a body once it is made anew. */
export async function frameWhenMade(studio: Studio, index: number): Promise<void> {
  const before = studio.viewport?.body(index)?.restSkin;
  for (let tries = 0; tries < 300; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const body = studio.viewport?.body(index);
    if (body && body.restSkin !== before && body.fleshNow) return studio.viewport?.frameBody(index);
  }
}
