/** Plans of a scene, read from its JSON. */
import type { Json } from '../document/generated/protocol';
import { type Table, entryPath, isTable, list, nameOf } from '../document/scene';

export interface PlanTrack {
  /** `body.bar.director.act`. */
  path: string;
  name: string;
  json: Table;
  keys: PlanKey[];
}

export interface PlanKey {
  /** Its place in the plan's list. */
  index: number;
  frame: number;
  /** The last frame, of a key that holds. */
  to: number;
  name: string;
  /** What it holds, in a word. */
  what: string;
}

/** The plans of a body. */
export function plansOf(scene: Json | undefined, body: string | null): PlanTrack[] {
  if (body === null) return [];
  const directors = list(scene, `${body}.director`);
  return directors.flatMap((json, index): PlanTrack[] => {
    if (!isTable(json) || json.kind !== 'plan' || !Array.isArray(json.keys)) return [];
    const keys = json.keys.flatMap((key, at) => planKey(key, at));
    return [{ path: entryPath(`${body}.director`, directors, index), name: nameOf(json) ?? `plan-${index + 1}`, json, keys }];
  });
}

function planKey(json: Json, index: number): PlanKey[] {
  if (!isTable(json) || typeof json.frame !== 'number') return [];
  const to = typeof json.to === 'number' ? json.to : json.frame;
  return [{ index, frame: json.frame, to, name: nameOf(json) ?? wordOf(json), what: wordOf(json) }];
}

function wordOf(json: Table): string {
  if (json.guess === true) return 'Guess';
  if (typeof json.on === 'string') return json.at === undefined && json.velocity === undefined ? `${json.on} stays` : json.on;
  if (json.bounce === true) return 'Bounce';
  return typeof json.asset === 'string' ? 'Pose' : json.at === undefined && json.turn === undefined ? 'Start' : 'Place';
}
