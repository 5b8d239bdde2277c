/** Values of the inspector by name, so that they are found without knowing where they stand. */
import { type Json, bodyPathOf, inWords, isTable, valueAt } from '../document/scene';
import type { Schema } from '../document/schema';

export interface FoundValue {
  /** Of the value, as commands write it. */
  path: string;
  /** What has to be selected for it to be seen. */
  owner: string;
  name: string;
  /** Whose it is, and what it is. */
  note: string;
}

interface Part {
  at: string;
  /** Of the schema. */
  part: string;
  owner: string;
  of: string;
  only?: readonly string[];
}

/** As sections of the inspector call them, where that is not the key in words. */
const NAMES: Record<string, string> = {
  at: 'Position', turn: 'Rotation', young_pa: 'Stiffness', density_kg_m3: 'Density', restitution: 'Bounce', self_contact: 'Parts keep apart',
  newton_iterations: 'Newton steps', region_damping: 'Shiver damping', fov_deg: 'Field of view', lens_mm: 'Focal length', mute: 'Muted',
};

/** Of the selected body (or the first), of what else is selected, and of the scene. */
export function valuesOf(scene: Json | undefined, schema: Schema, selection: string | null, body: string | null): FoundValue[] {
  const bodyPath = (selection && bodyPathOf(selection)) ?? body;
  const own = selection && selection !== bodyPath ? partsOf(selection) : [];
  const all = [...own, ...(bodyPath ? bodyParts(bodyPath, scene) : []), { at: 'scene', part: 'Shot', owner: 'scene', of: 'Scene', only: ['frames', 'substeps', 'gravity'] }];
  const seen = new Set<string>();
  return all.flatMap(({ at, part, owner, of, only }: Part) => {
    const json = valueAt(scene, at);
    if (!isTable(json)) return [];
    return schema.fields(part, json).flatMap((field): FoundValue[] => {
      const path = `${at}.${field.key}`;
      if (field.kind === 'other' || field.key === 'name' || seen.has(path) || (only && !only.includes(field.key))) return [];
      seen.add(path);
      return [{ path, owner, name: NAMES[field.key] ?? inWords(field.key), note: of }];
    });
  });
}

function bodyParts(body: string, scene: Json | undefined): Part[] {
  const name = body.replace(/^body[.[]?/, '').replace(/\]$/, '');
  const part = (key: string, schema: string): Part => ({ at: `${body}.${key}`, part: schema, owner: body, of: `${inWords(key)} of ${name}` });
  const flesh = valueAt(scene, `${body}.flesh`);
  return [
    { at: body, part: 'Body', owner: body, of: `Body ${name}`, only: ['at', 'turn', 'scale', 'velocity', 'restitution', 'self_contact', 'colour'] },
    part('flesh', isTable(flesh) && flesh.mesh !== undefined ? 'MeshFlesh' : 'Grown'),
    part('solver', 'Solver'),
    part('material', 'Material'),
  ];
}

function partsOf(selection: string): Part[] {
  const name = selection.split('.').at(-1) ?? selection;
  if (selection.includes('.director')) return [{ at: selection, part: 'Director', owner: selection, of: name }];
  if (selection.startsWith('obstacle')) return [{ at: selection, part: 'Obstacle', owner: selection, of: name }];
  const known: Record<string, string> = { camera: 'Camera', light: 'Light', medium: 'Medium' };
  const part = known[selection];
  return part ? [{ at: selection, part, owner: selection, of: inWords(selection) }] : [];
}

/** Where the value stands in the page: the first of its numbers, where it is several. */
export function editorOf(path: string): HTMLElement | null {
  const at = (id: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-field="${CSS.escape(id)}"]`);
  return at(path) ?? at(`${path}[0]`);
}
