/** The muscle director whose fields and charts are edited: the selected one, or the first of the selected body. */
import type { Session } from '../client/session.svelte';
import type { Json } from '../document/generated/protocol';
import { entryPath, freeName, isTable, list, nameOf } from '../document/scene';
import { valueAt } from '../document/sceneValue';
import type { Studio } from '../workspace/studio.svelte';
import type { ChartedMuscle } from './chart';
import type { PaintJson } from './paints';
import { fieldsOf } from './state.svelte';

/** Painted, or by a formula. */
export type FieldJson = { paint?: PaintJson[] } & Record<string, unknown>;

export interface MuscleJson extends ChartedMuscle {
  name?: string;
  layer?: PaintJson[];
  fibres?: { strokes?: [number, number, number][][] } & Record<string, unknown>;
  phase?: FieldJson | null;
  amplitude?: number | unknown[] | FieldJson;
  speed?: unknown;
  respond?: { to?: string[]; damping?: number; refractory?: number } | null;
  paint?: { method?: 'mesh' | 'rbf'; reach?: number };
  mute?: boolean;
}

/** What of a body is painted: its material, and the fields of its muscle where it has one. */
export interface Canvas {
  bodyPath: string;
  /** Where the muscle is in the scene: `body.jelly.director.swim`. */
  path: string | null;
  name: string;
  json: Partial<MuscleJson> & { stiffness?: FieldJson };
  /** How paint of the material is spread inside. */
  materialPaint?: MuscleJson['paint'];
}

export interface Muscle extends Canvas {
  path: string;
  /** What the stage calls it. */
  stageName: string;
  json: MuscleJson;
}

/** The material's painted stiffness comes along: the tools are the same. */
export function canvasOf(scene: Json | undefined, bodyPath: string | null, selection: string | null): Canvas | null {
  if (!bodyPath || valueAt(scene, bodyPath) === undefined) return null;
  const muscle = muscleOf(scene, bodyPath, selection);
  const fields = valueAt(scene, `${bodyPath}.material.fields`) as { stiffness?: FieldJson; paint?: MuscleJson['paint'] } | undefined;
  const json = { ...muscle?.json, ...(fields?.stiffness ? { stiffness: fields.stiffness } : {}) };
  return { bodyPath, path: muscle?.path ?? null, name: muscle?.name ?? '', json, ...(fields?.paint ? { materialPaint: fields.paint } : {}) };
}

export function muscleOf(scene: Json | undefined, bodyPath: string | null, selection: string | null): Muscle | null {
  if (!bodyPath || valueAt(scene, bodyPath) === undefined) return null;
  const directors = list(scene, `${bodyPath}.director`);
  const paths = directors.map((_, i) => entryPath(`${bodyPath}.director`, directors, i));
  const isMuscle = (i: number): boolean => {
    const director = directors[i];
    return isTable(director) && director.kind === 'muscle';
  };
  const selected = paths.findIndex((path, i) => isMuscle(i) && (selection === path || selection?.startsWith(`${path}.`)));
  const index = selected >= 0 ? selected : directors.findIndex((_, i) => isMuscle(i));
  if (index < 0) return null;
  const json = directors[index] as unknown as MuscleJson;
  const name = nameOf(directors[index]);
  return { path: paths[index]!, bodyPath, name: name ?? 'muscle', stageName: name ?? `muscle-${index + 1}`, json };
}

/** All muscles of a body, in order. */
export function musclesOf(scene: Json | undefined, bodyPath: string | null): { path: string; name: string }[] {
  if (!bodyPath) return [];
  const directors = list(scene, `${bodyPath}.director`);
  return directors.flatMap((director, i) =>
    isTable(director) && director.kind === 'muscle' ? [{ path: entryPath(`${bodyPath}.director`, directors, i), name: nameOf(director) ?? `muscle ${i + 1}` }] : []);
}

/** A body without one gets a muscle that does a little at once: fibres along its longest side, one soft beat. */
export function addMuscle(session: Session, studio: Studio): void {
  const { bodyPath } = studio;
  const scene = session.document?.scene;
  if (!bodyPath || !scene) return;
  const names = list(scene, `${bodyPath}.director`).map(nameOf);
  const name = freeName('muscle', names);
  session.edit({
    do: 'add',
    to: `${bodyPath}.director`,
    value: {
      name, kind: 'muscle', period: 1.2, primary: [[0, 1], [0.3, 0.8], [0.7, 1]], fibres: { along: fieldsOf(studio).longestAxis(studio.body) },
    },
  });
  studio.select(`${bodyPath}.director.${name}`);
}
