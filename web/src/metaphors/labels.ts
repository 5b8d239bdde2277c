/** Names of regions with how many points they hold, beside the widget. */
import { type Vec3, add, scale } from '../document/vector';
import { type WidgetNow, regionReach } from './now';

export interface Label {
  text: string;
  tone: 'a' | 'b';
  x: number;
  y: number;
  /** −1 where it stands to the left of its region, 0 where it stands above or below. */
  side: 1 | 0 | -1;
}

/** Beside the upper rim, for handles lie along the axes. Pixels between a region and its label, and between labels. */
const GAP_PX = 16;
const LINE_PX = 24;

export function labelsOf(widget: WidgetNow, px: (at: Vec3) => { x: number; y: number }): Label[] {
  const { parts, points, frame, middles } = widget;
  const pivot = px(frame.at);
  const labels = parts.map((part, i): Label => {
    const middle = middles[i]!;
    const at = px(middle);
    const reach = regionReach(part);
    const rim = [frame.x, frame.y, frame.z].map((way) => px(add(middle, scale(way, reach)))).map(({ x, y }) => Math.hypot(x - at.x, y - at.y));
    if (i === 2) return besideAxis(`${part.name} · ${points[i]!.length}`, part.tone, at, Math.max(...rim), px(middles[0]!), px(middles[1]!));
    const side = at.x < pivot.x - 4 ? -1 : 1;
    return { text: `${part.name} · ${points[i]!.length}`, tone: part.tone, x: at.x + side * (0.75 * Math.max(...rim) + GAP_PX), y: at.y - 0.75 * Math.max(...rim), side };
  });
  // Labels of one side never lie on each other.
  for (const side of [-1, 1] as const) {
    const column = labels.filter((label) => label.side === side).sort((a, b) => a.y - b.y);
    column.forEach((label, i) => {
      const before = column[i - 1];
      if (before) label.y = Math.max(label.y, before.y + LINE_PX);
    });
  }
  return labels;
}

/** Across the widget as it is seen, on the left or below. */
function besideAxis(text: string, tone: 'a' | 'b', at: { x: number; y: number }, rimPx: number, from: { x: number; y: number }, to: { x: number; y: number }): Label {
  const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [-(to.y - from.y) / long, (to.x - from.x) / long];
  const sign = Math.abs(x) > 0.5 ? -Math.sign(x) : Math.sign(y) || 1;
  const reach = rimPx + GAP_PX;
  return { text, tone, x: at.x + sign * x * reach, y: at.y + sign * y * reach, side: Math.abs(x) > 0.5 ? -1 : 0 };
}
