/** Commands of the Keys workspace, for buttons, keys and the palette. */
import type { Action } from '../ui/action';
import type { IconName } from '../ui/icons';
import type { Scope } from '../workspace/scope';
import { chosenKey } from './chosen';
import { copyHere, keyContacts, keyHere, makeExact, pathFromRun, removeKey } from './doing';
import { type ShapeKey, shapeTracksOf } from './read';
import { keysOf } from './state.svelte';

export function keyActions(scope: Scope): Action[] {
  const { session, studio } = scope;
  const here = (): string | null => (studio.workspace === 'keys' ? null : 'A command of the Keys workspace');
  const act = (id: string, name: string, icon: IconName, keys: string[], run: () => void, why: () => string | null = here): Action => ({ id, name, group: 'Tools', icon, keys, run, why });
  const tool = (word: string, name: string, icon: IconName, keys: string[]): Action => ({
    ...act(`tool-${word}`, name, icon, keys, () => (studio.tool = studio.tool === word ? 'key-pick' : word)), pressed: () => studio.tool === word,
  });
  const withKey = (id: string, name: string, icon: IconName, keys: string[], run: (key: ShapeKey) => void): Action =>
    act(id, name, icon, keys, () => {
      const key = chosenKey(session, studio);
      if (key) run(key);
    }, () => here() ?? (chosenKey(session, studio) ? null : 'No key shape is chosen'));
  const track = (): string | undefined => shapeTracksOf(session.document?.scene, studio.bodyPath).find(({ path }) => path === studio.selection)?.path ?? shapeTracksOf(session.document?.scene, studio.bodyPath)[0]?.path;
  return [
    act('key-shape', 'Key the shape here', 'key', ['I'], () => keyHere(scope, 'shown')),
    act('key-rest', 'Key the body at rest here', 'body', ['Shift+I'], () => keyHere(scope, 'rest')),
    withKey('key-copy', 'Copy the key shape to this frame', 'copy', ['Shift+D'], (key) => copyHere(scope, key)),
    withKey('key-delete', 'Delete the key shape', 'trash', ['X'], (key) => removeKey(scope, key)),
    act('key-contacts', 'Key contacts', 'obstacle', [], () => keyContacts(scope, false)),
    act('key-contacts-more', 'Key contacts, exaggerated', 'obstacle', [], () => keyContacts(scope, true)),
    act('key-exact', 'Make keys exact', 'goal', [], () => makeExact(session, track()!), () => here() ?? (track() ? null : 'The body has no key shapes')),
    act('key-path', 'Path from the run', 'path', [], () => pathFromRun(scope)),
    { ...act('onion', 'Key shapes at their frames', 'ghost', ['P'], () => (keysOf(studio).onion = !keysOf(studio).onion)), pressed: () => keysOf(studio).onion },
    tool('key-pull', 'Drag a place of the shape', 'move', ['1']),
    tool('key-paint', 'Paint a part', 'pinBrush', ['2']),
    tool('key-box', 'Box a part', 'pinBox', ['3']),
    tool('key-scale', 'Squash, stretch and size the part', 'compress', ['4']),
    tool('key-turn', 'Turn the part', 'turn', ['5']),
    tool('key-bend', 'Bend the part', 'bend', ['6']),
    tool('path-draw', 'Draw where it goes from here', 'path', ['7']),
    tool('take-grab', 'Grab the body in a take', 'hand', ['8']),
    { ...act('tool-key-pick', 'Choose a key', 'select', ['V'], () => (studio.tool = 'key-pick')), pressed: () => studio.tool === 'key-pick' },
  ];
}
