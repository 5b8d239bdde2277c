/** Metaphors of the selected body on the timeline: a clip each, from the first frame they act at to the last. */
import { measuredNow } from '../client/measured.svelte';
import type { Session } from '../client/session.svelte';
import { curveOf } from '../document/channel';
import { measure } from '../document/words';
import type { Studio } from '../workspace/studio.svelte';
import type { DopeRow } from '../workspace/tracks';
import { goalOf } from './facts';
import { peakOf } from './now';
import { ACT_ICONS, type Metaphor, measureOfAct, measuredInWords, metaphorsOf, unitOfAct } from './read';

/** Frames that a metaphor acts over: its goal's, or from its first key to its last; a constant acts all the time. */
export function spanOf(one: Metaphor, [first, last]: readonly [number, number]): [number, number] {
  const goal = goalOf(one);
  if (goal) return [goal.from, goal.at + goal.hold + goal.release];
  const curve = curveOf(one.json.newton);
  if (!curve || typeof curve.outside === 'object') return [first, last];
  const [from, to] = [curve.keys[0]!.at, curve.keys.at(-1)!.at];
  return curve.outside === 'zero' ? [from, to] : [first, last];
}

function labelOf(one: Metaphor): string {
  if (one.muted) return `${one.name}, muted`;
  const goal = goalOf(one);
  if (goal) return `${one.name} · goal ${goal.amount}${unitOfAct(one.act)}`;
  return `${one.name} · ${measure(peakOf(one.json.newton))} N`;
}

export function clipsOf(session: Session, studio: Studio): DopeRow[] {
  const info = session.scene;
  if (!info) return [];
  return metaphorsOf(session.document?.scene, studio.bodyPath).map((one): DopeRow => {
    const [from, to] = spanOf(one, [info.first_frame, info.last_frame]);
    const now = measuredNow(session.measures, studio.body, one.name, measureOfAct(one.act));
    return {
      id: `metaphor:${one.path}`, icon: ACT_ICONS[one.act], name: one.name, value: now ? measuredInWords(one.act, now.value) : '', level: 0, path: one.path,
      track: { kind: 'clip', from, to, label: labelOf(one), colour: '--force', muted: one.muted },
    };
  });
}
