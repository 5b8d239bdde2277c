/** Everything the page can do, by name: buttons, keys and (later) the command palette share this list. */
import type { Session } from '../client/session.svelte';
import type { Viewport } from '../stage/viewport';
import { toggleTheme } from '../ui/theme';
import { keyOf } from './keys';

export interface Action {
  id: string;
  name: string;
  /** As shown to people; the first is the default. `Shift+ArrowLeft`, `F`, `Space`. */
  keys: string[];
  run(): void;
}

export type Actions = Record<
  'play' | 'stepBack' | 'stepForward' | 'first' | 'last' | 'restart' | 'loop' | 'frame' | 'frameAll' | 'theme',
  Action
>;

export function makeActions(session: Session, viewport: () => Viewport | null): Actions {
  const send = session.send.bind(session);
  const action = (id: string, name: string, keys: string[], run: () => void): Action => ({ id, name, keys, run });
  return {
    play: action('play', 'Play or pause', ['Space'], () => {
      send({ do: session.transport?.playing ? 'pause' : 'play' });
    }),
    stepBack: action('step-back', 'Previous frame', ['ArrowLeft'], () => send({ do: 'step_back' })),
    stepForward: action('step-forward', 'Next frame', ['ArrowRight'], () => send({ do: 'step_forward' })),
    first: action('first', 'First frame', ['Shift+ArrowLeft'], () => {
      if (session.transport) send({ do: 'seek', frame: session.transport.recorded_from });
    }),
    last: action('last', 'Last simulated frame', ['Shift+ArrowRight'], () => {
      if (session.transport) send({ do: 'seek', frame: session.transport.recorded_to });
    }),
    restart: action('restart', 'Simulate from the start', [], () => send({ do: 'restart' })),
    loop: action('loop', 'Loop', [], () => send({ do: 'loop', on: !session.transport?.looping })),
    frame: action('frame', 'Frame selected', ['F'], () => viewport()?.frameBody(session.selected)),
    frameAll: action('frame-all', 'Frame all', ['Home'], () => viewport()?.frameAll()),
    theme: action('theme', 'Light or dark', [], () => {
      toggleTheme();
      viewport()?.setTheme();
    }),
  };
}

/** Runs the action of a key press. Space and arrows stay with a control that has use for them. */
export function obeyKey(actions: Actions, event: KeyboardEvent): void {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (target?.closest('input, select, textarea, [contenteditable]')) return;
  const key = keyOf(event);
  if (key === 'Space' && target?.closest('button')) return;
  if (event.repeat && !key.includes('Arrow')) return;
  const found = Object.values(actions).find((action) => action.keys.includes(key));
  if (!found) return;
  event.preventDefault();
  found.run();
}
