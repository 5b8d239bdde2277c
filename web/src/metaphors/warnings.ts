/** What is wrong with metaphors, beside what would put it right. */
import type { DocumentInfo, NoticeAction } from '../document/generated/protocol';
import { growCommand } from './commands';
import { partsOf } from './geometry';
import type { Metaphor } from './read';

export interface MetaphorWarning {
  metaphor: Metaphor;
  text: string;
  help: string | null;
  mends: NoticeAction[];
}

/** One for each metaphor and fault: regions that hold nothing are told together, by the names they have on the stage. */
export function warningsOfMetaphors(document: DocumentInfo | null, all: readonly Metaphor[], restOf: (body: string) => Float32Array | null): MetaphorWarning[] {
  const found = (document?.notices ?? []).flatMap(({ path, text, help, actions }): MetaphorWarning[] => {
    const metaphor = all.find((each) => each.path === path || path === `${each.body}.director.${each.name}`);
    return metaphor ? [{ metaphor, text, help, mends: actions }] : [];
  });
  const isFirst = (one: MetaphorWarning): boolean => found.find((each) => each.metaphor === one.metaphor && emptyRegion(each) !== null) === one;
  return found.flatMap((one) => (emptyRegion(one) === null ? [one] : isFirst(one) ? [together(one, found, restOf)] : []));
}

/** The number of the region that a warning says holds nothing. */
function emptyRegion({ text }: MetaphorWarning): number | null {
  const number = /^region (\d+) holds no point/.exec(text)?.[1];
  return number === undefined ? null : Number(number) - 1;
}

function together(one: MetaphorWarning, found: readonly MetaphorWarning[], restOf: (body: string) => Float32Array | null): MetaphorWarning {
  const { metaphor } = one;
  const parts = partsOf(metaphor);
  const names = found.flatMap((each) => (each.metaphor === metaphor ? [emptyRegion(each)] : [])).flatMap((number) => (number === null ? [] : [parts[number]?.name ?? `region ${number + 1}`]));
  const text = names.length === 1 ? `${names[0]} holds no point of the body` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} hold no point of the body`;
  // The page knows the sizes of regions: those that hold nothing are made larger.
  const grown: NoticeAction[] = metaphor.act === 'custom' ? [] : [{ name: 'Grow its regions', command: { do: 'edit', command: growCommand(metaphor, restOf(metaphor.body)) } }];
  return { ...one, text, mends: [...one.mends, ...grown] };
}
