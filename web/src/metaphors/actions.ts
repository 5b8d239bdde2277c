/** Commands of the Metaphors workspace, for buttons, keys and the palette. */
import { removePart } from '../parts/adding';
import type { Action } from '../ui/action';
import type { IconName } from '../ui/icons';
import type { Scope } from '../workspace/scope';
import { move, mute, selectedMetaphor, solo } from './doing';
import { ACT_ICONS, type Metaphor, type NewAct } from './read';
import { metaphorStateOf } from './state.svelte';

export function metaphorActions(scope: Scope): Action[] {
  const { studio } = scope;
  const here = (): string | null => (studio.workspace === 'metaphors' ? null : 'A tool of the Metaphors workspace');
  const tool = (id: string, name: string, icon: IconName, keys: string[], word: string): Action => ({
    id, name, group: 'Tools', icon, keys, why: here, pressed: () => studio.tool === word,
    run: () => void (studio.tool = studio.tool === word ? 'pick' : word),
  });
  const adding = (act: NewAct, name: string, keys: string[]): Action => tool(`tool-add-${act}`, name, ACT_ICONS[act], keys, `add-${act}`);
  const withOne = (id: string, name: string, keys: string[], run: (one: Metaphor) => void): Action & { why: () => string | null } => ({
    id, name, group: 'Tools', icon: 'bend', keys,
    why: () => here() ?? (selectedMetaphor(scope) ? null : 'No metaphor is selected'),
    run: () => {
      const one = selectedMetaphor(scope);
      if (one) run(one);
    },
  });
  const remove = withOne('delete-metaphor', 'Delete the metaphor', ['Delete'], (one) => removePart(scope, one.path));
  return [
    tool('tool-pick', 'Pick a place', 'select', ['V'], 'pick'),
    adding('bend', 'Put a bend', ['1']),
    adding('twist', 'Put a twist', ['2']),
    adding('stretch', 'Put a stretch', ['3']),
    adding('compress', 'Put a compression', ['4']),
    withOne('mute-metaphor', 'Mute the metaphor', ['M'], (one) => mute(scope, one)),
    withOne('solo-metaphor', 'Solo the metaphor', ['S'], (one) => solo(scope, one)),
    // Chosen keys of the timeline come before the metaphor that they belong to.
    { ...remove, why: () => (studio.chosenKeys.size > 0 ? 'Keys are chosen' : remove.why()) },
    withOne('raise-metaphor', 'Move the metaphor up', ['Alt+ArrowUp'], (one) => move(scope, one, -1)),
    withOne('lower-metaphor', 'Move the metaphor down', ['Alt+ArrowDown'], (one) => move(scope, one, 1)),
    {
      id: 'preview', name: 'Ghosts of what comes next', group: 'View', icon: 'ghost', keys: ['Shift+P', 'P'],
      pressed: () => metaphorStateOf(studio).ghosts,
      run: () => void (metaphorStateOf(studio).ghosts = !metaphorStateOf(studio).ghosts),
    },
  ];
}
