/** The right-click menu of a value: key it, give its default back, find it in a file. */
import type { KeyState } from '../document/commands';
import type { SceneCommand } from '../document/generated/protocol';
import type { MenuEntry } from '../ui/menu.svelte';
import type { Scope } from '../workspace/scope';

export interface ValueMenu {
  scope: Scope;
  path: string;
  label: string;
  optional: boolean;
  /** For values that can be keyed. */
  state?: KeyState;
  toggleKey?: () => void;
  flatten?: SceneCommand | null;
}

export function valueMenu({ scope: { session, studio }, path, optional, state, toggleKey, flatten }: ValueMenu): MenuEntry[] {
  const keying: MenuEntry[] =
    state && toggleKey
      ? [
          state === 'here'
            ? { name: `Delete key at frame ${session.frame}`, icon: 'key', run: toggleKey }
            : { name: `Key at frame ${session.frame}`, icon: 'key', run: toggleKey },
          {
            name: 'Show its curve', icon: 'curve', disabled: state === 'none', ...(state === 'none' ? { hint: 'It has no keys yet' } : {}),
            run: () => {
              studio.curvePath = path;
              studio.dockTab = 'curves';
            },
          },
          { name: 'Delete all its keys', icon: 'trash', disabled: !flatten, run: () => flatten && session.edit(flatten) },
          'rule',
        ]
      : [];
  return [
    ...keying,
    {
      name: 'Reset to default', icon: 'restart', disabled: !optional, ...(optional ? {} : { hint: 'The scene has to say this' }),
      run: () => session.edit({ do: 'unset', path }),
    },
    { name: 'Copy its path', icon: 'copy', note: path, run: () => void navigator.clipboard?.writeText(path) },
  ];
}
