/** The keyed numbers of a scene, found wherever they are, with names people read. */
import { curveOf } from './channel';
import type { Json } from './generated/protocol';
import { entryPath, inWords, isTable, nameOf } from './scene';

export interface Channel {
  path: string;
  /** What it is, without whose: `Position y`. */
  name: string;
  /** Whose it is: the path of a body, director, obstacle, `camera`, `medium`, `light` or `scene`. */
  owner: string;
  ownerName: string;
  json: Json;
}

/** Lists whose entries look like keys but are none. */
const NOT_CHANNELS = new Set(['primary', 'secondary', 'tertiary', 'layer', 'paint', 'fibres', 'phase', 'sets', 'copies', 'strokes', 'touches', 'places', 'path', 'rings', 'skin']);
const AXES = ['x', 'y', 'z'];
const LABELS: Record<string, string> = { at: 'position', turn: 'rotation', fov_deg: 'field of view', lens_mm: 'focal length', normal_drag: 'drag across', tangential_drag: 'drag along', newton: 'force', move: 'offset' };

/** All channels that have keys, in the order of the outliner. */
export function channelsOf(scene: Json | undefined): Channel[] {
  if (!isTable(scene)) return [];
  const found: Channel[] = [];
  for (const owner of ['scene', 'camera', 'light', 'medium'] as const) {
    collect(scene[owner], owner, { path: owner, name: inWords(owner) }, found);
  }
  entries(scene.obstacle).forEach((obstacle, i, all) => {
    const path = entryPath('obstacle', all, i);
    collect(obstacle, path, { path, name: nameOf(obstacle) ?? 'Obstacle' }, found);
  });
  entries(scene.body).forEach((body, i, all) => {
    const path = entryPath('body', all, i);
    const name = nameOf(body) ?? 'Body';
    if (!isTable(body)) return;
    collect({ ...body, director: null }, path, { path, name }, found);
    entries(body.director).forEach((director, j, directors) => {
      const at = entryPath(`${path}.director`, directors, j);
      const kind = isTable(director) ? inWords(String(director.kind)) : '';
      collect(director, at, { path: at, name: `${name} · ${nameOf(director) ?? kind}` }, found);
    });
  });
  return found;
}

function collect(json: Json | undefined, path: string, owner: { path: string; name: string }, found: Channel[]): void {
  if (!isTable(json)) return;
  for (const [key, value] of Object.entries(json)) {
    if (NOT_CHANNELS.has(key)) continue;
    const here = `${path}.${key}`;
    const label = LABELS[key] ?? inWords(key).toLowerCase();
    const add = (at: string, name: string, curve: Json): void => void found.push({ path: at, name: upper(name), owner: owner.path, ownerName: owner.name, json: curve });
    if (curveOf(value)) add(here, label, value);
    else if (Array.isArray(value)) value.forEach((entry, i) => curveOf(entry) && add(`${here}[${i}]`, `${label} ${AXES[i] ?? i}`, entry));
    else if (isTable(value)) collect(value, here, owner, found);
  }
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const entries = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);
