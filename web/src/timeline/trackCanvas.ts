/** Draws ruler, recorded range, plots and playhead. A plain canvas: the parallel controls are in Timeline.svelte. */
import type { TimeScale } from './timeScale';

export const RULER_PX = 24;
/** Half the playhead's tag and half a number. */
const TAG_CLEAR_PX = 21;

/** A row under the ruler. */
export type Track =
  | { kind: 'recorded'; label: string }
  | { kind: 'plot'; colour: string; fromZero: boolean; at: (frame: number) => number | undefined };

export interface Picture {
  scale: TimeScale;
  frame: number;
  first: number;
  last: number;
  recordedFrom: number;
  recordedTo: number;
  rowPx: number;
  tracks: Track[];
}

type Token = (name: string) => string;

export class TrackCanvas {
  private readonly brush: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const brush = canvas.getContext('2d');
    if (!brush) throw new Error('This browser has no 2D canvas.');
    this.brush = brush;
  }

  draw(picture: Picture): void {
    const { brush, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const style = getComputedStyle(canvas);
    const token: Token = (name) => style.getPropertyValue(name).trim();
    brush.setTransform(ratio, 0, 0, ratio, 0, 0);
    brush.fillStyle = token('--bg-sunken');
    brush.fillRect(0, 0, width, height);
    this.drawTicks(picture, token, width, height);
    picture.tracks.forEach((track, row) => {
      const top = RULER_PX + row * picture.rowPx;
      if (track.kind === 'recorded') this.drawRecorded(picture, track.label, top, token);
      else this.drawPlot(picture, track, top, token);
      this.line(0, top + picture.rowPx - 0.5, width, top + picture.rowPx - 0.5, token('--line-soft'));
    });
    this.drawCache(picture, token);
    this.drawPlayhead(picture, token, height);
  }

  private drawTicks({ scale, frame: now }: Picture, token: Token, width: number, height: number): void {
    const { brush } = this;
    brush.fillStyle = token('--bg-panel');
    brush.fillRect(0, 0, width, RULER_PX);
    brush.font = `420 10px ${token('--font')}`;
    brush.textAlign = 'center';
    brush.textBaseline = 'middle';
    for (const { frame, major } of scale.ticks()) {
      const x = Math.round(scale.x(frame)) + 0.5;
      this.line(x, RULER_PX - (major ? 7 : 4), x, RULER_PX - 2, token(major ? '--tx-3' : '--line-strong'));
      if (!major) continue;
      this.line(x, RULER_PX, x, height, token('--line-soft'));
      if (Math.abs(x - scale.x(now)) < TAG_CLEAR_PX) continue; // the playhead's tag is there
      brush.fillStyle = token('--tx-3');
      brush.fillText(String(frame), x, 9);
    }
    this.line(0, RULER_PX - 0.5, width, RULER_PX - 0.5, token('--line'));
  }

  /** The recorded range in the ruler, so that one sees how far scrubbing reaches. */
  private drawCache({ scale, recordedFrom, recordedTo }: Picture, token: Token): void {
    this.brush.fillStyle = token('--cache-fresh');
    const from = scale.x(recordedFrom);
    this.brush.fillRect(from, RULER_PX - 2.5, Math.max(2, scale.x(recordedTo) - from), 2.5);
  }

  /** A hatched clip: simulated, not designed. What is still to come is an outline. */
  private drawRecorded(picture: Picture, label: string, top: number, token: Token): void {
    const { brush } = this;
    const { scale, rowPx } = picture;
    const colour = token('--clip-simulated');
    const [left, right] = [scale.x(picture.first), scale.x(picture.last)];
    const [from, to] = [scale.x(picture.recordedFrom), scale.x(picture.recordedTo)];
    const box = (x: number, w: number): void => {
      brush.beginPath();
      brush.roundRect(x, top + 3.5, Math.max(3, w), rowPx - 7, 3);
    };
    brush.save();
    box(left + 0.5, right - left - 1);
    brush.setLineDash([4, 3]);
    brush.strokeStyle = token('--line-strong');
    brush.stroke();
    brush.setLineDash([]);
    box(from + 0.5, to - from - 1);
    brush.globalAlpha = 0.3;
    brush.fillStyle = colour;
    brush.fill();
    brush.clip();
    brush.globalAlpha = 0.28;
    brush.strokeStyle = colour;
    brush.lineWidth = 1;
    for (let x = Math.floor(from / 6) * 6 - rowPx; x < to; x += 6) {
      this.line(x, top + rowPx, x + rowPx, top, colour);
    }
    brush.restore();
    box(from + 0.5, to - from - 1);
    brush.strokeStyle = colour;
    brush.lineWidth = 1;
    brush.stroke();
    brush.font = `520 11px ${token('--font')}`;
    brush.textAlign = 'left';
    brush.fillStyle = token('--tx-1');
    if (to - from > brush.measureText(label).width + 20) brush.fillText(label, from + 9, top + rowPx / 2 + 0.5);
  }

  private drawPlot(picture: Picture, track: Track & { kind: 'plot' }, top: number, token: Token): void {
    const { brush } = this;
    const { scale, rowPx } = picture;
    const known: [number, number][] = [];
    for (let frame = picture.recordedFrom; frame <= picture.recordedTo; frame++) {
      const value = track.at(frame);
      if (value !== undefined) known.push([frame, value]);
    }
    if (known.length < 2) return;
    const low = track.fromZero ? 0 : known.reduce((least, [, value]) => Math.min(least, value), Infinity);
    const span = known.reduce((most, [, value]) => Math.max(most, value), -Infinity) - low || 1;
    const y = (value: number): number => top + rowPx - 5 - ((value - low) / span) * (rowPx - 10);
    const colour = token(track.colour);
    brush.beginPath();
    known.forEach(([frame, value], i) => {
      if (i === 0) brush.moveTo(scale.x(frame), y(value));
      else brush.lineTo(scale.x(frame), y(value));
    });
    brush.strokeStyle = colour;
    brush.lineWidth = 1.4;
    brush.lineJoin = 'round';
    brush.stroke();
    brush.lineTo(scale.x(known.at(-1)![0]), top + rowPx - 1);
    brush.lineTo(scale.x(known[0]![0]), top + rowPx - 1);
    brush.globalAlpha = 0.12;
    brush.fillStyle = colour;
    brush.fill();
    brush.globalAlpha = 1;
    brush.lineWidth = 1;
  }

  private drawPlayhead({ scale, frame }: Picture, token: Token, height: number): void {
    const { brush } = this;
    const x = Math.round(scale.x(frame)) + 0.5;
    const colour = token('--time');
    brush.lineWidth = 1.5;
    this.line(x, 14, x, height, colour);
    brush.lineWidth = 1;
    brush.font = `620 10px ${token('--font')}`;
    const text = String(frame);
    const width = Math.max(22, brush.measureText(text).width + 10);
    brush.beginPath();
    brush.roundRect(x - width / 2, 2, width, 14, 3);
    brush.fillStyle = colour;
    brush.fill();
    brush.fillStyle = '#ffffff';
    brush.textAlign = 'center';
    brush.fillText(text, x, 9.5);
  }

  private line(x0: number, y0: number, x1: number, y1: number, colour: string): void {
    const { brush } = this;
    brush.strokeStyle = colour;
    brush.beginPath();
    brush.moveTo(x0, y0);
    brush.lineTo(x1, y1);
    brush.stroke();
  }
}
