/** What a metaphor's force came to, to be drawn dashed over its curve: measured, and what is wanted where there is a goal. */
import type { Session } from '../client/session.svelte';
import { numberAt } from '../document/channel';
import { bodyPathOf, type Json } from '../document/scene';
import { unbroken } from '../document/series';
import { measure } from '../document/words';
import type { Beside, CurveResult } from '../workspace/overCurve';
import { goalOf, wantedAt } from './facts';
import { peakOf } from './now';
import { type Metaphor, isInside, measureOfAct, measuredInWords, metaphorAt, textOf, unitOfAct } from './read';

/** The metaphor whose force or contraction is at a path. */
function metaphorOfForce(scene: Json | undefined, path: string): Metaphor | null {
  const key = ['.newton', '.contraction'].find((ending) => path.endsWith(ending));
  return key ? metaphorAt(scene, bodyPathOf(path), path.slice(0, -key.length)) : null;
}

/** Whether what a metaphor measures is drawn over the curve at a path. */
export function isMetaphorForce(scene: Json | undefined, path: string): boolean {
  const one = metaphorOfForce(scene, path);
  return one !== null && measureOfAct(one.act) !== null;
}

/** The unit of a contraction: what the metaphor measures. */
export function driveUnit(scene: Json | undefined, path: string): string {
  const one = path.endsWith('.contraction') ? metaphorOfForce(scene, path) : null;
  return one ? unitOfAct(one.act) : '';
}

/** None where the curve is not a metaphor's force. `zero` is the height of nothing on the plot, which lines share with the force. */
export function resultOf(session: Session, body: number, path: string, zero: number): CurveResult | null {
  const one = metaphorOfForce(session.document?.scene, path);
  const name = one && measureOfAct(one.act);
  if (!one || !name) return null;
  const series = session.measured.series(body, one.name, name);
  const goal = goalOf(one);
  const [first, last] = [session.scene?.first_frame ?? 1, session.scene?.last_frame ?? 1];
  const wanted = goal ? Array.from({ length: last - first + 1 }, (_, i): [number, number] => [first + i, wantedAt(goal, first + i)]) : [];
  const values = [...series, ...wanted].map(([, value]) => value);
  const [low, high] = [Math.min(-1e-6, ...values), Math.max(1e-6, ...values)];
  const perUnit = Math.min((0.96 - zero) / high, Math.max(zero - 0.02, 0.01) / -low);
  const share = (value: number): number => zero + value * perUnit;
  const line = (colour: string, points: readonly [number, number][]): Beside => ({ colour, parts: unbroken(points).map((part) => part.map(([at, value]) => [at, share(value)])) });
  const now = series.find(([frame]) => frame === session.frame)?.[1];
  // What was measured under another force is drawn, but fainter: it is not what this one comes to.
  const text = textOf(one);
  const isOld = ([frame]: readonly [number, number]): boolean => session.measured.textAt(body, one.name, frame) !== text;
  const before = series.filter(isOld);
  const newton = numberAt(one.json.newton, session.frame) ?? 0;
  const shownN = Math.abs(newton) < 1e-9 * peakOf(one.json.newton) ? 0 : newton;
  const what = unitOfAct(one.act) === '°' ? 'angle' : 'length';
  const contraction = measuredInWords(one.act, numberAt(one.json.contraction, session.frame) ?? 0);
  return {
    hold: goal && goal.hold > 0 ? { from: goal.at, to: goal.at + goal.hold, colour: '--goal', label: 'hold' } : null,
    lines: [...(goal ? [line('--tx-2', wanted)] : []), ...(before.length > 0 ? [line('--tx-3', before)] : []), line('--goal', series.filter((each) => !isOld(each)))],
    names: [
      isInside(one) ? { colour: '--force', name: `Rest ${what}`, value: contraction } : { colour: '--force', name: 'Force', value: `${measure(shownN)} N` },
      { colour: '--goal', name: `Measured ${what}`, value: now === undefined ? '–' : measuredInWords(one.act, now) },
      ...(goal ? [{ colour: '--tx-2', name: `Wanted ${what}`, value: measuredInWords(one.act, wantedAt(goal, session.frame)) }] : []),
    ],
  };
}
