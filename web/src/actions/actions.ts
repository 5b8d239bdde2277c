/** Everything the page can do: what it always can, and what workspaces add. Buttons, keys, the command palette and the shortcuts help share this list. */
import type { Action } from '../ui/action';
import { keyOf } from '../ui/keys';
import type { Scope } from '../workspace/scope';
import type { Studio } from '../workspace/studio.svelte';
import { editActions, pageActions, sceneActions, timeActions, toolActions, viewActions } from './pageActions';

/** What can be done whatever the workspace, by name. */
export type PageActions = ReturnType<typeof timeActions> & ReturnType<typeof seeingActions> & ReturnType<typeof sceneAndPage>;

export interface Actions {
  readonly page: PageActions;
  /** In the order in which they are listed. */
  readonly all: readonly Action[];
  find(id: string): Action | undefined;
  /** What a key does now: of several actions that can be done the first has it, and of several workspaces the one that is shown. */
  forKey(key: string): Action | undefined;
}

const seeingActions = (studio: Studio) => ({ ...viewActions(studio), ...toolActions(studio) });
const sceneAndPage = (scope: Scope) => ({ ...editActions(scope), ...sceneActions(scope.session, scope.studio), ...pageActions(scope.studio) });

export function makeActions(scope: Scope): Actions {
  const { session, studio } = scope;
  const [time, seeing, rest] = [timeActions(session, studio), seeingActions(studio), sceneAndPage(scope)];
  const own = new Map(studio.workspaces.map((each) => [each.id, each.actions?.(scope) ?? []]));
  const all: Action[] = [
    ...Object.values(time), ...dockActions(studio), ...Object.values(seeing), ...[...own.values()].flat(), ...Object.values(rest), ...enterActions(studio),
  ];
  const ofOthers = (action: Action): boolean => [...own].some(([id, list]) => id !== studio.workspace && list.includes(action));
  return {
    page: { ...time, ...seeing, ...rest },
    all,
    find: (id) => all.find((each) => each.id === id),
    forKey(key) {
      const named = all.filter((each) => each.keys.includes(key));
      const can = named.filter((each) => !each.why?.());
      const [first] = can;
      const here = first && ofOthers(first) ? can.find((each) => own.get(studio.workspace)?.includes(each)) : first;
      return here ?? first ?? named[0];
    },
  };
}

/** A tab of the dock for each that a workspace has. */
const dockActions = (studio: Studio): Action[] =>
  studio.workspaces.flatMap(({ timeline }) => timeline?.docks ?? []).map(({ id, name, icon, keys }) => ({ id, name, icon, keys, group: 'Time', run: () => studio.openDock(id) }));

/** Enters a workspace, by its number. */
const enterActions = (studio: Studio): Action[] =>
  studio.workspaces.map(({ id, name, icon }, i) => ({ id, name: `${name} workspace`, icon, keys: [`Alt+${i + 1}`], group: 'Page', run: () => studio.enter(id) }));

/** Runs the action of a key press. Space and arrows stay with a control that has use for them. */
export function obeyKey(actions: Actions, event: KeyboardEvent): void {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const key = keyOf(event);
  const typing = target?.closest('input, select, textarea, [contenteditable]');
  // Who types keeps the keys that write; the others still work.
  if (typing && !/^(Ctrl|Alt)\+/.test(key) && key !== 'F6') return;
  if (typing && ['Ctrl+Z', 'Ctrl+Shift+Z', 'Ctrl+Y'].includes(key)) return;
  if (key === 'Space' && target?.closest('button, [role=treeitem], [role=menuitem]')) return;
  if (event.repeat && !key.includes('Arrow') && !key.startsWith('Ctrl+')) return;
  const found = actions.forKey(key);
  if (!found) return;
  event.preventDefault();
  if (!found.why?.()) found.run();
}
