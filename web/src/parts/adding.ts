/** What can be added to a scene, and what can be done with a part of it: the menus of outliner and inspector. */
import type { Session } from '../client/session.svelte';
import { newDirector, obstacleShape } from '../document/commands';
import type { SceneCommand } from '../document/generated/protocol';
import { type Table, bodyPathOf, freeName, inWords, isTable, list, nameOf, valueAt } from '../document/scene';
import type { SoftBody } from '../stage/softBody';
import type { IconName } from '../ui/icons';
import type { MenuEntry, MenuItem } from '../ui/menu.svelte';
import type { Scope } from '../workspace/scope';
import type { Studio } from '../workspace/studio.svelte';
import type { DirectorKind } from '../workspace/workspace';
import { chooseMesh } from './bringMesh';

/** Of kinds that no workspace has for its own. */
const DIRECTOR_ICONS: Record<string, IconName> = { rest_shape: 'bend', force: 'force', goal: 'goal', pin: 'pin', path: 'path', material: 'material' };

const kindOf = ({ workspaces }: Pick<Studio, 'workspaces'>, kind: string): DirectorKind | undefined => workspaces.map(({ directors }) => directors?.[kind]).find(Boolean);

const kindIcon = (studio: Pick<Studio, 'workspaces'>, kind: string): IconName => kindOf(studio, kind)?.icon ?? DIRECTOR_ICONS[kind] ?? 'curve';

export function directorIcon(studio: Pick<Studio, 'workspaces'>, director: Table): IconName {
  const kind = String(director.kind);
  return kindOf(studio, kind)?.iconOf?.(director) ?? kindIcon(studio, kind);
}

export const OBSTACLE_ICONS: Record<string, IconName> = { plane: 'plane', sphere: 'sphere', box: 'obstacle', capsule: 'capsule', mesh: 'import' };

/** Everything that can be added, for the outliner's plus. */
export function addMenu(scope: Scope): MenuEntry[] {
  const { session, scene, studio } = scope;
  const body = studio.selection ? bodyPathOf(studio.selection) : null;
  const medium: MenuItem = {
    name: 'Water', icon: 'water', disabled: isTable(valueAt(scene, 'medium')),
    run: () => {
      session.edit({ do: 'set', path: 'medium', value: { normal_drag: 10 } });
      studio.select('medium');
    },
  };
  return [
    { heading: 'Obstacle' },
    ...obstacleMenu(scope),
    medium,
    { heading: 'Body' },
    { name: 'Mesh from a file…', icon: 'import', hint: 'Any surface: it stands beside what is there', run: () => chooseMesh('body') },
    ...scope.schema.choices('Model', 'model').map(({ word, about }): MenuItem => ({
      name: inWords(word), icon: 'body', hint: about, run: () => addBody(scope, word),
    })),
    ...(body ? [{ heading: `Director of ${nameOf(valueAt(scene, body)) ?? 'the body'}` }, ...directorMenu(scope, body)] : []),
  ];
}

export function obstacleMenu(scope: Scope): MenuItem[] {
  return scope.schema.choices('Obstacle', 'shape').map(({ word, about }) => ({
    name: word === 'mesh' ? 'Mesh from a file…' : inWords(word), icon: OBSTACLE_ICONS[word] ?? 'obstacle', hint: about,
    run: () => (word === 'mesh' ? chooseMesh('obstacle') : addObstacle(scope, word)),
  }));
}

export function directorMenu(scope: Scope, body: string): MenuItem[] {
  return scope.schema.choices('Director', 'kind').filter(({ word }) => !kindOf(scope.studio, word)?.isMadeElsewhere).map(({ word, about }) => ({
    name: inWords(word), icon: kindIcon(scope.studio, word), hint: about, run: () => addDirector(scope, body, word),
  }));
}

export function addObstacle({ session, studio, scene }: Scope, shape: string): void {
  const { centre, sizeM } = whereBodiesAre(studio);
  const others = list(scene, 'obstacle').map(nameOf);
  const name = freeName(shape === 'plane' ? 'ground' : shape, others);
  const round = (value: number): number => Number(value.toFixed(2));
  // Beside the bodies, where it is seen and touches nothing yet; the ground is the ground.
  const at = shape === 'plane' ? [0, 0, 0] : [round(centre[0] + 1.1 * sizeM), round(Math.max(centre[1], 0.5 * sizeM)), round(centre[2])];
  session.edit({ do: 'add', to: 'obstacle', value: { name, ...obstacleShape(shape, sizeM), at } });
  studio.select(`obstacle.${name}`);
}

export function addBody({ session, studio, scene }: Scope, model: string): void {
  const name = freeName(model, list(scene, 'body').map(nameOf));
  const { centre, sizeM } = whereBodiesAre(studio);
  const at = list(scene, 'body').length === 0 ? [0, 0.5, 0] : [Number((centre[0] + 1.5 * sizeM).toFixed(2)), Number(centre[1].toFixed(2)), 0];
  session.edit({ do: 'add', to: 'body', value: { name, skin: { model }, at } });
  studio.select(`body.${name}`);
}

export function addDirector({ session, studio, scene }: Scope, body: string, kind: string): void {
  const name = freeName(kind.replaceAll('_', '-'), list(scene, `${body}.director`).map(nameOf));
  const sets = valueAt(scene, `${body}.sets`);
  const place = valueAt(scene, `${body}.at`);
  const value = newDirector(kind, name, isTable(sets) ? Object.keys(sets) : [], Array.isArray(place) ? (place as number[]) : [0, 0, 0]);
  session.edit({ do: 'add', to: `${body}.director`, value });
  studio.select(`${body}.director.${name}`);
}

/** What can be done with one part of the scene. */
export function partMenu(scope: Scope, path: string): MenuEntry[] {
  const { session, studio, scene } = scope;
  const part = valueAt(scene, path);
  const isBody = /^body[.[][^.]*$/.test(path);
  const isDirector = path.includes('.director');
  const canRename = isBody || isDirector || path.startsWith('obstacle') || path.includes('.sets.');
  const entries: MenuEntry[] = [];
  if (isBody) {
    entries.push(
      { name: 'Frame', icon: 'frame', key: 'F', run: () => studio.viewport?.frameBody(studio.body) },
      { name: 'Put on ground', icon: 'plane', hint: 'Lowers or lifts it so that it begins on the floor', run: () => void putOnGround(scope, path) },
      'rule',
    );
  }
  if (isDirector && isTable(part)) entries.push(muteItem(session, path, part), 'rule');
  if (canRename) entries.push({ name: 'Rename', icon: 'pencil', key: 'F2', run: () => (studio.renaming = path) });
  if (isBody || isDirector || path.startsWith('obstacle')) entries.push({ name: 'Duplicate', icon: 'copy', run: () => duplicate(scope, path) });
  if (canRename || path === 'medium') {
    entries.push({ name: 'Delete', icon: 'trash', key: 'Delete', danger: true, run: () => removePart(scope, path) });
  }
  if (isBody) entries.push({ heading: 'Add director' }, ...directorMenu(scope, path));
  if (path === 'scene') entries.push(...addMenu(scope));
  return entries;
}

/** Moves a body up or down so that the lowest point of its skin begins on the floor. */
export async function putOnGround({ session, studio, scene }: Scope, path: string): Promise<void> {
  const index = session.scene?.bodies.findIndex((body) => body.path === path) ?? -1;
  const at = valueAt(scene, `${path}.at`);
  const [frame, first] = [session.frame, session.scene?.first_frame ?? 1];
  if (index < 0 || !Array.isArray(at)) return;
  session.send({ do: 'pause' });
  session.send({ do: 'seek', frame: first });
  const body = await drawnAt(session, studio, first, index);
  if (!body?.fleshNow) return;
  const skin = body.picker.skinNow();
  let low = Infinity;
  for (let i = 1; i < skin.length; i += 3) low = Math.min(low, skin[i]! + body.fleshNow.origin[1]);
  const height = Number((Number(at[1]) - low).toPrecision(6));
  session.edit({ do: 'set', path: `${path}.at`, value: [at[0]!, height, at[2]!] });
  if (frame !== first) session.send({ do: 'seek', frame });
}

/** The body once the first frame is on screen; none where it does not come. */
async function drawnAt(session: Session, studio: Studio, frame: number, index: number): Promise<SoftBody | undefined> {
  for (let tries = 0; tries < 50; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    if (session.pictured === frame && !session.transport?.playing) return studio.viewport?.body(index);
  }
  return undefined;
}

function muteItem(session: Session, path: string, director: Table): MenuItem {
  const muted = director.mute === true;
  return { name: 'Muted', checked: muted, run: () => toggleMute(session, path, director) };
}

export function toggleMute(session: Session, path: string, director: Table): void {
  const muted = director.mute === true;
  session.edit(muted ? { do: 'unset', path: `${path}.mute` } : { do: 'set', path: `${path}.mute`, value: true });
}

/** Removes a part; a set takes the directors with it that act on it, for they would have nothing to act on. */
export function removePart({ session, studio, scene }: Scope, path: string): void {
  const set = /^(.*)\.sets\.([^.]+)$/.exec(path);
  const commands: SceneCommand[] = [];
  if (set) {
    const directors = list(scene, `${set[1]}.director`);
    directors.forEach((director, i) => {
      if (isTable(director) && director.on === set[2]) commands.unshift({ do: 'remove', path: `${set[1]}.director[${i}]` });
    });
  }
  commands.push(path === 'medium' ? { do: 'unset', path } : { do: 'remove', path });
  session.edit(commands.length === 1 ? commands[0]! : { do: 'batch', label: `remove ${path}`, commands });
  if (studio.selection === path || studio.selection?.startsWith(`${path}.`)) studio.select(bodyPathOf(path) === path ? null : bodyPathOf(path));
}

function duplicate({ session, studio, scene }: Scope, path: string): void {
  const part = valueAt(scene, path);
  if (!isTable(part)) return;
  const to = path.replace(/(\.[^.[]+|\[\d+\])$/, '');
  const stem = (nameOf(part) ?? (typeof part.kind === 'string' ? part.kind : 'copy')).replace(/-\d+$/, '');
  const name = freeName(stem, list(scene, to).map(nameOf));
  session.edit({ do: 'add', to, value: { ...part, name } });
  studio.select(`${to}.${name}`);
}

export function rename({ session, studio, scene }: Scope, path: string, to: string): void {
  const renamed = path.replace(/(\.[^.[]+|\[\d+\])$/, `.${to}`);
  if (valueAt(scene, renamed) !== undefined) {
    session.refused = `There is already something called “${to}”; the name stays.`;
    return;
  }
  session.refusal = null;
  const named = path.includes('.sets.') || nameOf(valueAt(scene, path)) !== null;
  session.edit(named ? { do: 'rename', path, to } : { do: 'set', path: `${path}.name`, value: to });
  studio.renamed = { from: path, to: renamed };
}

function whereBodiesAre(studio: Studio): { centre: [number, number, number]; sizeM: number } {
  const bounds = studio.viewport?.body(studio.body)?.bounds();
  if (!bounds) return { centre: [0, 0.5, 0], sizeM: 1 };
  return { centre: [bounds.centre.x, bounds.centre.y, bounds.centre.z], sizeM: Math.max(0.02, bounds.radiusM) };
}
