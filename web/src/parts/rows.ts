/** The scene as rows of the outliner's tree. */
import { numberAt } from '../document/channel';
import type { BodyInfo, Json } from '../document/generated/protocol';
import { type Table, entryPath, inWords, isTable, list, nameOf, valueAt } from '../document/scene';
import { SOLVER_NAMES, count } from '../document/words';
import type { IconName } from '../ui/icons';
import type { Studio } from '../workspace/studio.svelte';
import { OBSTACLE_ICONS, directorIcon } from './adding';

export interface TreeRow {
  path: string;
  level: number;
  icon: IconName;
  name: string;
  meta: string;
  /** Whether it has rows of its own below it. */
  parent: boolean;
  /** A director: its table, so that it can be muted. */
  director?: Table;
}

/** Where the points of a set lie on a body, in a word or two; none where the page cannot know. */
export type Whereabouts = (body: string, set: Json | undefined) => string | null;

export function treeRows(scene: Json | undefined, bodies: readonly BodyInfo[], frame: number, studio: Pick<Studio, 'workspaces'>, where: Whereabouts = () => null): TreeRow[] {
  const leaf = (path: string, level: number, icon: IconName, name: string, meta = ''): TreeRow => ({ path, level, icon, name, meta, parent: false });
  const rows: TreeRow[] = [
    { path: 'scene', level: 1, icon: 'scene', name: 'Scene', meta: '', parent: true },
    leaf('camera', 2, 'camera', 'Camera', lens(valueAt(scene, 'camera'), frame)),
    leaf('light', 2, 'light', 'Light'),
  ];
  const obstacles = list(scene, 'obstacle');
  obstacles.forEach((obstacle, i) => {
    const shape = isTable(obstacle) ? String(obstacle.shape) : '';
    rows.push(leaf(entryPath('obstacle', obstacles, i), 2, OBSTACLE_ICONS[shape] ?? 'obstacle', nameOf(obstacle) ?? inWords(shape), shape));
  });
  if (isTable(valueAt(scene, 'medium'))) rows.push(leaf('medium', 2, 'water', 'Water', 'medium'));
  const all = list(scene, 'body');
  all.forEach((body, i) => rows.push(...bodyRows(entryPath('body', all, i), body, bodies, studio, where)));
  return rows;
}

function bodyRows(path: string, body: Json, bodies: readonly BodyInfo[], studio: Pick<Studio, 'workspaces'>, where: Whereabouts): TreeRow[] {
  if (!isTable(body)) return [];
  const copies = bodies.filter((each) => each.path === path);
  const info = copies[0];
  const row = (part: string, icon: IconName, name: string, meta: string): TreeRow => ({ path: `${path}.${part}`, level: 3, icon, name, meta, parent: false });
  const solver = isTable(body.solver) ? body.solver : {};
  const kind = String(solver.kind ?? 'shape_matching');
  const rows: TreeRow[] = [
    { path, level: 2, icon: 'body', name: nameOf(body) ?? 'Body', meta: copies.length > 1 ? `× ${copies.length}` : '', parent: true },
    row('skin', 'skin', 'Skin', info ? count(info.skin_vertices) : ''),
    row('flesh', 'flesh', 'Flesh', info ? `${count(info.points)} · ${count(info.cells)} ${info.is_shell ? 'tris' : 'tets'}` : ''),
    row('solver', 'solver', SOLVER_NAMES[kind] ?? inWords(kind), kind === 'shape_matching' ? `N ${Number(solver.iterations ?? 1)}` : ''),
    row('material', 'material', 'Material', isTable(body.material) ? String(body.material.preset) : ''),
  ];
  const sets = isTable(body.sets) ? body.sets : {};
  const setMeta = (set: Json | undefined): string => where(path, set) ?? countOf(set);
  /** What a pin holds says more than that it is one. */
  const heldBy = ({ on }: Table): string => (on === 'all' ? 'everything' : typeof on === 'string' ? setMeta(sets[on]) : '');
  const directors = list(body, 'director');
  directors.forEach((director, i) => {
    if (!isTable(director)) return;
    const kind = String(director.kind);
    rows.push({
      path: entryPath(`${path}.director`, directors, i), level: 3, icon: directorIcon(studio, director),
      name: nameOf(director) ?? inWords(kind), meta: (kind === 'pin' && heldBy(director)) || kind.replaceAll('_', ' '), parent: false, director,
    });
  });
  const isTaken = (name: string): boolean => directors.some((director) => isTable(director) && (nameOf(director) ?? director.kind) === name);
  for (const [name, set] of Object.entries(sets)) rows.push(row(`sets.${name}`, 'set', isTaken(name) ? `Points of ${name}` : name, setMeta(set)));
  return rows;
}

function countOf(set: Json | undefined): string {
  if (!isTable(set)) return '';
  if (Array.isArray(set.vertices)) return `${set.vertices.length} points`;
  return Object.keys(set)[0] === 'sphere' ? 'ball' : (Object.keys(set)[0] ?? '');
}

function lens(camera: Json | undefined, frame: number): string {
  if (!isTable(camera)) return '';
  const [mm, degrees] = [numberAt(camera.lens_mm, frame), numberAt(camera.fov_deg, frame)];
  return mm !== null ? `${Math.round(mm)} mm` : `${Math.round(degrees ?? 40)}°`;
}
