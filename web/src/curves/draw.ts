/** Draws a plot onto a canvas: grid, curve, keys, handles and the red bar. */
import type { Curve } from '../document/channel';
import type { Band, Beside } from '../workspace/overCurve';
import { type Plot, handlesOf, lineValue, polyline } from './plot';

export interface Look {
  curve: Curve;
  valueOf: (at: number) => number;
  colour: string;
  /** Dashed, without points to take hold of. */
  follows: boolean;
  chosen: number | null;
  hovered: number | null;
  /** Where the bar is; none without one. */
  now: number | null;
  /** What came of the curve, or what is wanted of it: dashed, on a scale of its own. */
  beside?: readonly Beside[];
  band?: Band | null;
  /** Values are written inside, and no frames: the ruler over it has them. */
  inside?: boolean;
}

/** A token of the theme, such as `--time`. */
export type Token = (name: string) => string;

export function drawPlot(pen: CanvasRenderingContext2D, plot: Plot, look: Look, token: Token): void {
  drawGrid(pen, plot, token, look.inside ?? false);
  if (look.band) drawBand(pen, plot, look.band, token);
  drawLine(pen, plot, look);
  for (const beside of look.beside ?? []) drawBeside(pen, plot, beside, token);
  if (!look.follows) drawKeys(pen, plot, look, token);
  if (look.now !== null) drawBar(pen, plot, look, token);
}

function drawGrid(pen: CanvasRenderingContext2D, plot: Plot, token: Token, inside: boolean): void {
  const { left, top, width, height } = plot.box;
  pen.lineWidth = 1;
  pen.font = `420 10px ${token('--font')}`;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  for (const { value, label, strong } of plot.values.ticks) {
    const y = Math.round(plot.y(value)) + 0.5;
    pen.strokeStyle = token(strong ? '--line-strong' : '--line');
    rule(pen, left, y, left + width, y);
    pen.fillStyle = token('--tx-3');
    pen.fillText(label, inside ? left + width - 3 : left - 7, inside ? y - 7 : y);
  }
  const footY = top + height + 20;
  plot.places.ticks.forEach(({ at, label }) => {
    const x = Math.round(plot.x(at)) + 0.5;
    pen.strokeStyle = token('--line');
    rule(pen, x, top, x, top + height);
    if (inside) return;
    // Words at the very ends stay inside the plot.
    pen.textAlign = x - left < 4 ? 'left' : left + width - x < 4 ? 'right' : 'center';
    pen.fillStyle = token('--tx-3');
    pen.fillText(label, x, footY);
  });
}

function drawLine(pen: CanvasRenderingContext2D, plot: Plot, { curve, valueOf, colour, follows }: Look): void {
  const points = polyline(plot, valueOf, curve.keys);
  const base = plot.y(plot.values.base);
  pen.save();
  pen.beginPath();
  pen.rect(plot.box.left - 6, plot.box.top - 6, plot.box.width + 12, plot.box.height + 12);
  pen.clip();
  const path = new Path2D();
  points.forEach(([x, y], i) => (i === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
  const filled = new Path2D(path);
  filled.lineTo(points.at(-1)![0], base);
  filled.lineTo(points[0]![0], base);
  pen.globalAlpha = 0.11;
  pen.fillStyle = colour;
  pen.fill(filled);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.8;
  pen.lineJoin = 'round';
  pen.setLineDash(follows ? [5, 3] : []);
  pen.stroke(path);
  pen.restore();
}

function drawBand(pen: CanvasRenderingContext2D, plot: Plot, { from, to, colour, label }: Band, token: Token): void {
  const { top, height } = plot.box;
  const [left, right] = [plot.x(from), plot.x(to)];
  pen.save();
  pen.fillStyle = pen.strokeStyle = token(colour);
  pen.globalAlpha = 0.14;
  pen.fillRect(left, top, right - left, height);
  pen.globalAlpha = 1;
  pen.setLineDash([3, 3]);
  for (const x of [left, right]) rule(pen, x, top, x, top + height);
  pen.textAlign = 'center';
  if (right - left > 24) pen.fillText(label, (left + right) / 2, top + 8);
  pen.restore();
}

function drawBeside(pen: CanvasRenderingContext2D, plot: Plot, { colour, parts }: Beside, token: Token): void {
  const { top, height } = plot.box;
  const spot = ([at, share]: readonly [number, number]): [number, number] => [plot.x(at), top + (1 - share) * height];
  pen.save();
  pen.strokeStyle = pen.fillStyle = token(colour);
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 3]);
  for (const part of parts) {
    pen.beginPath();
    if (part.length === 1) {
      pen.arc(...spot(part[0]!), 1.2, 0, 2 * Math.PI);
      pen.fill();
      continue;
    }
    part.forEach((each, i) => (i === 0 ? pen.moveTo(...spot(each)) : pen.lineTo(...spot(each))));
    pen.stroke();
  }
  pen.restore();
}

function drawKeys(pen: CanvasRenderingContext2D, plot: Plot, { curve, colour, chosen, hovered }: Look, token: Token): void {
  for (const { part, key, at, value } of handlesOf(curve, chosen)) {
    const own = curve.keys[part === 'leave' ? key : key + 1]!;
    pen.strokeStyle = token('--tx-3');
    pen.lineWidth = 1;
    rule(pen, plot.x(own.at), plot.y(own.value), plot.x(at), plot.y(value));
    dot(pen, plot.x(at), plot.y(value), 3.5, token('--bg-sunken'), token('--tx-2'), 1.5);
  }
  curve.keys.forEach((key, i) => {
    const [x, y] = [plot.x(key.at), plot.y(key.value)];
    if (i === chosen) dot(pen, x, y, 5.5, token('--tx-1'), token('--accent'), 2);
    else dot(pen, x, y, i === hovered ? 5 : 4, token('--bg-sunken'), i === hovered ? token('--tx-1') : colour, 1.8);
  });
}

function drawBar(pen: CanvasRenderingContext2D, plot: Plot, { now, curve, valueOf }: Look, token: Token): void {
  if (now === null || now < plot.places.from || now > plot.places.to) return;
  const x = plot.x(now);
  const { top, height } = plot.box;
  pen.strokeStyle = pen.fillStyle = token('--time');
  pen.lineWidth = 2;
  rule(pen, x, top - 4, x, top + height + 4);
  pen.beginPath();
  pen.moveTo(x - 5, top - 9);
  pen.lineTo(x + 5, top - 9);
  pen.lineTo(x, top - 3);
  pen.fill();
  const value = curve.keys.length > 0 ? valueOf(now) : lineValue(curve, now, plot.values.base);
  const y = Math.min(top + height, Math.max(top, plot.y(value)));
  dot(pen, x, y, 3, token('--time'), token('--time'), 0.5);
}

function rule(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function dot(pen: CanvasRenderingContext2D, x: number, y: number, r: number, fill: string, edge: string, width: number): void {
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = width;
  pen.stroke();
}
