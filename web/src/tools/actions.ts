/** Everything the page can do, by name: buttons, keys and (later) the command palette share this list. */
import type { Session } from '../client/session.svelte';
import type { Studio } from '../document/studio.svelte';
import type { Viewport } from '../stage/viewport';
import { keyOf } from './keys';

export interface Action {
  id: string;
  name: string;
  /** As shown to people; the first is the default. `Shift+ArrowLeft`, `F`, `Space`. */
  keys: string[];
  run(): void;
}

export type Actions = Record<
  'play' | 'stepBack' | 'stepForward' | 'first' | 'last' | 'restart' | 'loop' | 'frame' | 'frameAll' | 'theme' | 'left' | 'right' | 'dock' | 'stage' | 'fields',
  Action
>;

export function makeActions(session: Session, studio: Studio, viewport: () => Viewport | null): Actions {
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
    theme: action('theme', 'Light or dark', [], () => studio.toggleTheme()),
    left: action('left', 'Left panel', ['Ctrl+B'], () => studio.panels.toggle('left')),
    right: action('right', 'Inspector', ['Ctrl+Shift+B'], () => studio.panels.toggle('right')),
    dock: action('dock', 'Dock', ['`'], () => studio.panels.toggle('dock')),
    stage: action('stage', 'Stage workspace', ['Alt+1'], () => studio.enter('stage')),
    fields: action('fields', 'Fields workspace', ['Alt+2'], () => studio.enter('fields')),
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
