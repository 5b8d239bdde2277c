/** What is wrong with metaphors, beside what would put it right. */
import type { DocumentInfo, SceneCommand } from '../document/generated/protocol';
import { growCommand } from './commands';
import type { Metaphor } from './read';

export interface Mend {
  name: string;
  command: SceneCommand;
}

export interface MetaphorWarning {
  metaphor: Metaphor;
  text: string;
  help: string | null;
  mends: Mend[];
}

export function warningsOfMetaphors(document: DocumentInfo | null, all: readonly Metaphor[]): MetaphorWarning[] {
  return (document?.notices ?? []).flatMap(({ path, text, help }): MetaphorWarning[] => {
    const metaphor = all.find((each) => each.path === path || path === `${each.body}.director.${each.name}`);
    return metaphor ? [{ metaphor, text, help, mends: mendsOf(metaphor, text, help ?? '') }] : [];
  });
}

function mendsOf(metaphor: Metaphor, text: string, help: string): Mend[] {
  const set = (key: string): SceneCommand => ({ do: 'set', path: `${metaphor.path}.${key}`, value: true });
  if (/holds no point/.test(text)) return metaphor.act === 'custom' ? [] : [{ name: 'Grow its regions', command: growCommand(metaphor) }];
  if (/balanced = true/.test(help)) return [{ name: 'Balance it', command: set('balanced') }];
  if (/bounded = true/.test(help)) return [{ name: 'Bound it', command: set('bounded') }];
  return [];
}
