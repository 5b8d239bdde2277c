/** The edits that panels make, as commands of the scene. Pure: what they do is told by the scene they are given. */
import { curveOf, isKeyed, keyAt, numberAt } from './channel';
import type { Json, SceneCommand } from './generated/protocol';

/** A number at a frame: a keyed one gets a key there, a constant is set. */
export function setNumber(path: string, json: Json | undefined, frame: number, value: number): SceneCommand {
  return isKeyed(json) ? { do: 'insert_key', path, at: frame, value } : { do: 'set', path, value };
}

/** One entry of a list of numbers. The list is written whole, for the file may not have it yet. */
export function setEntry(path: string, json: Json[], index: number, frame: number, value: number): SceneCommand {
  if (isKeyed(json[index])) return { do: 'insert_key', path: `${path}[${index}]`, at: frame, value };
  return { do: 'set', path, value: json.map((entry, i) => (i === index ? value : entry)) };
}

/** Keys a value where it stands. A constant becomes a curve of one key; the file need not have said it before. */
export function keyNumber(path: string, json: Json | undefined, frame: number): SceneCommand | null {
  const value = numberAt(json, frame);
  if (value === null) return null;
  return isKeyed(json) ? { do: 'insert_key', path, at: frame, value } : { do: 'set', path, value: [[frame, value]] };
}

/** Keys all entries of a vector. */
export function keyVector(path: string, json: Json[], frame: number): SceneCommand | null {
  const values = json.map((entry) => numberAt(entry, frame));
  if (values.some((value) => value === null)) return null;
  if (!json.some(isKeyed)) return { do: 'set', path, value: values.map((value) => [[frame, value as number]]) };
  // The list is in the file as soon as one entry is keyed, so each entry can be set by itself.
  const commands = json.map((entry, i): SceneCommand =>
    isKeyed(entry)
      ? { do: 'insert_key', path: `${path}[${i}]`, at: frame, value: values[i]! }
      : { do: 'set', path: `${path}[${i}]`, value: [[frame, values[i]!]] },
  );
  return { do: 'batch', label: `key ${path} at ${frame}`, commands };
}

/** Takes the keys at a frame away; none where there are none. */
export function unkey(path: string, json: Json | undefined, frame: number): SceneCommand | null {
  if (keyAt(json, frame)) return { do: 'delete_key', path, at: frame };
  if (!Array.isArray(json) || isKeyed(json)) return null;
  const commands = json.flatMap((entry, i): SceneCommand[] =>
    keyAt(entry, frame) ? [{ do: 'delete_key', path: `${path}[${i}]`, at: frame }] : [],
  );
  return commands.length === 0 ? null : { do: 'batch', label: `delete keys of ${path} at ${frame}`, commands };
}

/** A constant in place of a curve, or of all three: what it is at this frame. */
export function flatten(path: string, json: Json | undefined, frame: number): SceneCommand | null {
  if (isKeyed(json)) return { do: 'set', path, value: numberAt(json, frame)! };
  if (!Array.isArray(json) || !json.some(isKeyed)) return null;
  return { do: 'set', path, value: json.map((entry) => numberAt(entry, frame) ?? entry) };
}

export type KeyState = 'none' | 'elsewhere' | 'here';

/** Whether a value, or any entry of a vector, has keys, and one at this frame. */
export function keyState(json: Json | undefined, frame: number): KeyState {
  const parts = isKeyed(json) || !Array.isArray(json) ? [json] : json;
  const curves = parts.map(curveOf).filter((curve) => curve !== null);
  if (curves.length === 0) return 'none';
  return curves.some((curve) => curve.keys.some((key) => key.at === frame)) ? 'here' : 'elsewhere';
}

/** What a new director of each kind says before anyone changes it. `at` is where the body is. */
export function newDirector(kind: string, name: string, sets: readonly string[], at: readonly number[]): Json {
  const on = sets[0] ?? 'all';
  const own: Record<string, { [key: string]: Json }> = {
    muscle: { period: 1, primary: [[0, 1], [0.25, 0.75], [0.6, 1]], fibres: { along: 'x' } },
    rest_shape: { bend_deg: 0 },
    force: { on, newton: [0, 0, 0] },
    goal: { on, move: [0, 0, 0] },
    pin: { on },
    path: { at: [...at] },
    material: { stiffness: 1 },
    key_shapes: { keys: [{ frame: 1 }] },
    metaphor: { act: { bend: { arm: 0.3, radius: 0.15 } }, newton: 1 },
  };
  return { name, kind, ...own[kind] };
}

/** The sizes of a new obstacle, beside a body of this size. */
export function obstacleShape(shape: string, sizeM: number): { [key: string]: Json } {
  const round = (value: number): number => Number(value.toPrecision(2));
  const own: Record<string, { [key: string]: Json }> = {
    sphere: { radius: round(0.4 * sizeM) },
    box: { size: [round(sizeM), round(0.4 * sizeM), round(sizeM)] },
    capsule: { radius: round(0.2 * sizeM), length: round(0.6 * sizeM) },
  };
  return { shape, ...own[shape] };
}
