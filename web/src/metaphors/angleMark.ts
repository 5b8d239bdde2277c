/** How far a bend has got, as an arc about its pivot: from where its base points to, to where its tip is, and on to its goal. */
import { isTable } from '../document/scene';
import { type Vec3, add, cross, dot, length, normalize, scale, sub } from '../document/vector';
import { about } from './handles';
import type { WidgetNow } from './now';
import { numberOf } from './read';

interface Spot {
  x: number;
  y: number;
}

export interface AngleMark {
  from: Spot;
  /** The end of the dashed line that the tip would be on, unbent. */
  axis: Spot;
  arc: string;
  end: Spot;
  words: string;
  goal: Spot | null;
  toGoal: string | null;
  goalWords: string;
}

const STEPS = 24;

export function angleMark(widget: WidgetNow, measuredDeg: number | null, px: (at: Vec3) => Spot): AngleMark | null {
  const { metaphor, middles, frame } = widget;
  if (metaphor.act !== 'bend' || measuredDeg === null) return null;
  const [base, tip] = middles;
  if (!base || !tip) return null;
  const arm = length(sub(tip, frame.at));
  const straight = normalize(sub(frame.at, base));
  const radius = 1.75 * arm;
  // The way that the tip goes: towards the widget's y, across the base.
  const up = sub(frame.y, scale(straight, dot(frame.y, straight)));
  if (length(up) < 1e-9 || arm < 1e-9) return null;
  const axis = cross(straight, normalize(up));
  const at = (degrees: number): Spot => px(add(frame.at, scale(about(straight, axis, (degrees * Math.PI) / 180), radius)));
  const arc = (from: number, to: number): string => Array.from({ length: STEPS + 1 }, (_, i) => at(from + ((to - from) * i) / STEPS)).map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const goal = isTable(metaphor.json.goal) ? metaphor.json.goal : null;
  const amount = goal ? numberOf(goal.amount, 0) : null;
  return {
    from: px(frame.at), axis: px(add(frame.at, scale(straight, 1.12 * radius))), arc: arc(0, measuredDeg), end: at(measuredDeg), words: `${measuredDeg.toFixed(1)}°`,
    goal: amount === null ? null : at(amount), toGoal: amount === null ? null : arc(measuredDeg, amount),
    goalWords: goal && amount !== null ? `Goal ${amount}° · frame ${numberOf(goal.at, 0)}` : '',
  };
}
