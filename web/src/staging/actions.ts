/** Tools of the Stage workspace, for buttons, keys and the palette. */
import type { Action } from '../ui/action';
import type { IconName } from '../ui/icons';
import type { Scope } from '../workspace/scope';

export function stageActions({ studio }: Scope): Action[] {
  const tool = (word: string, name: string, icon: IconName, key: string): Action => ({
    id: `tool-${word}`, name, group: 'Tools', icon, keys: [key],
    why: () => (studio.workspace === 'stage' ? null : 'A tool of the Stage workspace'),
    pressed: () => studio.tool === word,
    run: () => void (studio.tool = studio.tool === word ? 'pull' : word),
  });
  return [
    tool('select', 'Select', 'select', 'V'),
    tool('touch', 'Touch', 'touch', 'W'),
    tool('pin-box', 'Pin in a box', 'pinBox', 'B'),
    tool('pin-lasso', 'Pin in a lasso', 'pinLasso', 'O'),
    tool('pin-brush', 'Pin with a brush', 'pinBrush', 'P'),
  ];
}
