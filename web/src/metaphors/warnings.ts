/** What is wrong with metaphors, beside what would put it right. */
import type { DocumentInfo, NoticeAction } from '../document/generated/protocol';
import { growCommand } from './commands';
import type { Metaphor } from './read';

export interface MetaphorWarning {
  metaphor: Metaphor;
  text: string;
  help: string | null;
  mends: NoticeAction[];
}

export function warningsOfMetaphors(document: DocumentInfo | null, all: readonly Metaphor[]): MetaphorWarning[] {
  return (document?.notices ?? []).flatMap(({ path, text, help, actions }): MetaphorWarning[] => {
    const metaphor = all.find((each) => each.path === path || path === `${each.body}.director.${each.name}`);
    return metaphor ? [{ metaphor, text, help, mends: [...actions, ...grown(metaphor, text)] }] : [];
  });
}

/** The page knows the sizes of regions: one that holds nothing is made larger. */
function grown(metaphor: Metaphor, text: string): NoticeAction[] {
  if (!/holds no point/.test(text) || metaphor.act === 'custom') return [];
  return [{ name: 'Grow its regions', command: { do: 'edit', command: growCommand(metaphor) } }];
}
