/** What can be done with metaphors, from list, rail, menus and keys alike. */
import type { SceneCommand } from '../document/generated/protocol';
import { bodyPathOf, isTable, list, nameOf, valueAt } from '../document/scene';
import { presetNumbers } from '../document/schema';
import type { Vec3 } from '../document/vector';
import { removePart } from '../parts/adding';
import type { MenuEntry, MenuItem } from '../ui/menu.svelte';
import type { Scope } from '../workspace/scope';
import { type Axis, addCommand, fitted, mirrored, moveCommand, muteCommand, soloCommand } from './commands';
import { bestFit, inverse, turned } from './fit';
import { ACT_ICONS, type Metaphor, type NewAct, metaphorAt, metaphorsOf } from './read';
import { metaphorStateOf } from './state.svelte';
import { limbAt, suggested } from './suggest';

export const NEW_ACTS: readonly { act: NewAct; name: string; about: string }[] = [
  { act: 'bend', name: 'Bend', about: 'Two ends one way, the middle the other' },
  { act: 'twist', name: 'Twist', about: 'Turns two ends against each other' },
  { act: 'stretch', name: 'Stretch', about: 'Pulls two ends apart' },
  { act: 'compress', name: 'Compress', about: 'Presses two ends together' },
];

export function selectedMetaphor({ session, studio }: Pick<Scope, 'session' | 'studio'>): Metaphor | null {
  const { selection } = studio;
  return metaphorAt(session.document?.scene, selection ? bodyPathOf(selection) : null, selection);
}

/** Young's modulus of a body, from its numbers or its preset's. */
export function youngOf({ schema, scene }: Pick<Scope, 'schema' | 'scene'>, body: string): number {
  const material = valueAt(scene, `${body}.material`);
  const own = isTable(material) ? material : {};
  if (typeof own.young_pa === 'number') return own.young_pa;
  const about = schema.words('MaterialPreset').find(({ word }) => word === own.preset)?.about ?? '';
  return presetNumbers(about).young_pa ?? 2e4;
}

/** Puts a metaphor on a body where it was picked, along the limb there, and selects it. */
export function addAt(scope: Scope, body: number, atRest: Vec3, act: NewAct): void {
  const { session, studio } = scope;
  const path = session.scene?.bodies[body]?.path;
  const model = studio.viewport?.body(body)?.model;
  if (!path || !model) return;
  const range = session.transport?.range ?? [session.scene?.first_frame ?? 1, session.scene?.last_frame ?? 96];
  const value = suggested(act, limbAt(model.rest, atRest, forwardAtRest(scope, body)), youngOf(scope, path), range);
  const made = addCommand(session.document?.scene, path, value, act);
  session.edit(made.command);
  session.selected = body;
  studio.select(made.path);
  metaphorStateOf(studio).picked = null;
  metaphorStateOf(studio).region = 0;
  studio.curvePath = null;
}

/** The way the viewer looks, as the body at rest has it: it may have turned since. */
function forwardAtRest({ studio }: Scope, index: number): Vec3 | null {
  const body = studio.viewport?.body(index);
  const [flesh, forward] = [body?.fleshNow, studio.viewport?.orbit.forward];
  return body && flesh && forward ? turned(inverse(bestFit(body.model.rest, flesh.positions)), forward) : null;
}

/** At the picked place, or on the axis of the whole body where none is. */
export function addMenu(scope: Scope): MenuItem[] {
  return NEW_ACTS.map(({ act, name, about }) => ({ name, icon: ACT_ICONS[act], hint: about, run: () => addAtPicked(scope, act) }));
}

export function addAtPicked(scope: Scope, act: NewAct): void {
  const { studio } = scope;
  const { picked } = metaphorStateOf(studio);
  const rest = studio.viewport?.body(studio.body)?.model.rest;
  if (picked) addAt(scope, picked.body, picked.atRest, act);
  else if (rest) addAt(scope, studio.body, middleOfBox(rest), act);
}

function middleOfBox(rest: Float32Array): Vec3 {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  rest.forEach((c, i) => {
    low[i % 3] = Math.min(low[i % 3]!, c);
    high[i % 3] = Math.max(high[i % 3]!, c);
  });
  return low.map((c, i) => (c + high[i]!) / 2) as Vec3;
}

export function mute({ session }: Scope, one: Metaphor): void {
  session.edit(muteCommand(one));
}

export function solo({ session }: Scope, one: Metaphor): void {
  const command = soloCommand(metaphorsOf(session.document?.scene, one.body), one);
  if (command) session.edit(command);
}

export function move({ session }: Scope, one: Metaphor, step: 1 | -1): void {
  const command = moveCommand(metaphorsOf(session.document?.scene, one.body), one, step);
  if (command) session.edit(command);
}

export function metaphorMenu(scope: Scope, one: Metaphor): MenuEntry[] {
  const { studio, scene } = scope;
  const all = metaphorsOf(scene, one.body);
  const at = all.findIndex(({ path }) => path === one.path);
  const others = list(scene, 'body').map(nameOf).filter((name): name is string => name !== null && `body.${name}` !== one.body);
  const mirrors = (['x', 'y', 'z'] as const).map((letter, axis): MenuItem => ({ name: `Mirror across ${letter}`, icon: 'mirror', run: () => mirror(scope, one, axis as Axis) }));
  return [
    { name: 'Mute', key: 'M', checked: one.muted, run: () => mute(scope, one) },
    { name: 'Solo', key: 'S', disabled: all.length < 2, run: () => solo(scope, one) },
    'rule',
    { name: 'Move up', icon: 'up', key: 'Alt+ArrowUp', disabled: at === 0, run: () => move(scope, one, -1) },
    { name: 'Move down', icon: 'down', key: 'Alt+ArrowDown', disabled: at === all.length - 1, run: () => move(scope, one, 1) },
    'rule',
    { name: 'Rename', icon: 'pencil', key: 'F2', run: () => (metaphorStateOf(studio).naming = one.path) },
    ...mirrors,
    ...others.map((name): MenuItem => ({ name: `Copy to ${name}`, icon: 'copy', run: () => copyTo(scope, one, `body.${name}`) })),
    { name: 'Delete', icon: 'trash', key: 'Delete', danger: true, run: () => removePart(scope, one.path) },
  ];
}

function mirror(scope: Scope, one: Metaphor, axis: Axis): void {
  const rest = restOf(scope, one.body);
  if (rest) addAndSelect(scope, one.body, addCommand(scope.scene, one.body, mirrored(one.json, axis, rest), one.name.replace(/-\d+$/, '')));
}

function copyTo(scope: Scope, one: Metaphor, body: string): void {
  const [from, to] = [restOf(scope, one.body), restOf(scope, body)];
  if (from && to) addAndSelect(scope, body, addCommand(scope.scene, body, fitted(one.json, from, to), one.name));
}

function addAndSelect({ session, studio }: Scope, body: string, made: { command: SceneCommand; path: string }): void {
  session.edit(made.command);
  session.selected = Math.max(0, session.scene?.bodies.findIndex(({ path }) => path === body) ?? 0);
  studio.select(made.path);
}

export function restOf({ session, studio }: Pick<Scope, 'session' | 'studio'>, body: string): Float32Array | null {
  const index = session.scene?.bodies.findIndex(({ path }) => path === body) ?? -1;
  return studio.viewport?.body(index)?.model.rest ?? null;
}
