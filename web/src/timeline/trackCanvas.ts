/** Draws ruler, recorded range, keys, plots and playhead. A plain canvas: the parallel controls are in DopeSheet.svelte. */
import { unbroken } from '../document/series';
import { keyId } from '../workspace/chosenKeys';
import type { EventClip, Track } from '../workspace/tracks';
import type { TimeScale } from './timeScale';

export const RULER_PX = 24;
/** Half the playhead's tag and half a number. */
const TAG_CLEAR_PX = 21;

export interface Picture {
  scale: TimeScale;
  frame: number;
  first: number;
  last: number;
  /** First and last frame that are played. */
  range: readonly [number, number];
  recordedFrom: number;
  recordedTo: number;
  staleFrom: number | null;
  rowPx: number;
  /** How far the rows are scrolled. */
  scrollPx: number;
  tracks: readonly Track[];
  /** The row that is selected; −1 for none. */
  selectedRow: number;
  chosen: ReadonlySet<string>;
  /** Chosen keys are being dragged by this many frames. */
  dragBy: number;
  /** A box drawn to choose keys, in pixels. */
  box: { x0: number; y0: number; x1: number; y1: number } | null;
}

type Token = (name: string) => string;

export class TrackCanvas {
  private readonly brush: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const brush = canvas.getContext('2d');
    if (!brush) throw new Error('This browser has no 2D canvas.');
    this.brush = brush;
  }

  /** Nothing is known yet. */
  clear(): void {
    this.brush.setTransform(1, 0, 0, 1, 0, 0);
    this.brush.clearRect(0, 0, this.canvas.width, this.canvas.height);
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
    this.drawGrid(picture, token, height);
    this.drawOutside(picture, token, width, height);
    brush.save();
    brush.beginPath();
    brush.rect(0, RULER_PX, width, height - RULER_PX);
    brush.clip();
    picture.tracks.forEach((track, row) => {
      const top = RULER_PX + row * picture.rowPx - picture.scrollPx;
      if (top < RULER_PX - picture.rowPx || top > height) return;
      if (row === picture.selectedRow) this.fill(0, top, width, picture.rowPx, token('--accent-bg'), 0.45);
      this.drawTrack(picture, track, top, token);
      this.line(0, top + picture.rowPx - 0.5, width, top + picture.rowPx - 0.5, token('--line-soft'));
    });
    if (picture.box) this.drawBox(picture.box, token);
    brush.restore();
    this.drawRuler(picture, token, width);
    this.drawCache(picture, token);
    this.drawBrackets(picture, token);
    this.drawPlayhead(picture, token, height);
  }

  private drawTrack(picture: Picture, track: Track, top: number, token: Token): void {
    switch (track.kind) {
      case 'recorded':
        return this.drawRecorded(picture, track.label, top, token);
      case 'keys':
        return this.drawKeys(picture, track, top, token);
      case 'events':
        return track.clips.forEach((clip) => this.drawEvent(picture, clip, top, token));
      case 'summary':
        return track.frames.forEach((at) => this.diamond(picture.scale.x(at), top + picture.rowPx / 2, 3.2, token('--tx-3')));
      case 'clip':
        return this.drawClip(picture, track, top, token);
      case 'plot':
        return this.drawPlot(picture, track, top, token);
    }
  }

  private drawGrid({ scale }: Picture, token: Token, height: number): void {
    for (const { frame, major } of scale.ticks()) {
      const x = Math.round(scale.x(frame)) + 0.5;
      if (major) this.line(x, RULER_PX, x, height, token('--line-soft'));
    }
  }

  /** What is not played lies in the shade. */
  private drawOutside({ scale, range, first, last }: Picture, token: Token, width: number, height: number): void {
    const [from, to] = [scale.x(range[0]), scale.x(range[1])];
    if (range[0] > first) this.fill(0, RULER_PX, Math.max(0, from), height, token('--bg-app'), 0.55);
    if (range[1] < last) this.fill(to, RULER_PX, width - to, height, token('--bg-app'), 0.55);
  }

  private drawRuler({ scale, frame: now }: Picture, token: Token, width: number): void {
    const { brush } = this;
    this.fill(0, 0, width, RULER_PX, token('--bg-panel'), 1);
    brush.font = `420 10px ${token('--font')}`;
    brush.textAlign = 'center';
    brush.textBaseline = 'middle';
    for (const { frame, major } of scale.ticks()) {
      const x = Math.round(scale.x(frame)) + 0.5;
      this.line(x, RULER_PX - (major ? 7 : 4), x, RULER_PX - 2, token(major ? '--tx-3' : '--line-strong'));
      if (!major || Math.abs(x - scale.x(now)) < TAG_CLEAR_PX) continue; // the playhead's tag is there
      brush.fillStyle = token('--tx-3');
      brush.fillText(String(frame), x, 9);
    }
    this.line(0, RULER_PX - 0.5, width, RULER_PX - 0.5, token('--line'));
  }

  /** How far scrubbing reaches; ochre where frames show the scene as it was before an edit. */
  private drawCache({ scale, recordedFrom, recordedTo, staleFrom }: Picture, token: Token): void {
    const fresh = staleFrom === null ? recordedTo : Math.min(recordedTo, staleFrom);
    const bar = (from: number, to: number, colour: string): void => {
      if (to > from || from === recordedFrom) this.fill(scale.x(from), RULER_PX - 2.5, Math.max(2, scale.x(to) - scale.x(from)), 2.5, token(colour), 1);
    };
    bar(recordedFrom, fresh, '--cache-fresh');
    if (fresh < recordedTo) bar(fresh, recordedTo, '--cache-stale');
  }

  private drawBrackets({ scale, range }: Picture, token: Token): void {
    const { brush } = this;
    brush.lineWidth = 1.5;
    for (const [frame, inward] of [[range[0], 1], [range[1], -1]] as const) {
      const x = Math.round(scale.x(frame)) + 0.5;
      brush.strokeStyle = token('--tx-2');
      brush.beginPath();
      brush.moveTo(x + 5 * inward, 3.5);
      brush.lineTo(x, 3.5);
      brush.lineTo(x, RULER_PX - 4);
      brush.stroke();
    }
    brush.lineWidth = 1;
  }

  private drawKeys(picture: Picture, { path, keys }: Track & { kind: 'keys' }, top: number, token: Token): void {
    const { scale, rowPx, chosen, dragBy } = picture;
    const y = top + rowPx / 2;
    const x = (at: number): number => scale.x(chosen.has(keyId(path, at)) ? at + dragBy : at);
    // A bar where the value stands still.
    keys.slice(1).forEach((key, i) => {
      const before = keys[i]!;
      if (before.held || before.value === key.value) this.fill(x(before.at), y - 1.5, Math.max(0, x(key.at) - x(before.at)), 3, token('--key'), 0.35);
    });
    for (const { at } of keys) {
      const isChosen = chosen.has(keyId(path, at));
      this.diamond(x(at), y, 4.2, token(isChosen ? '--tx-1' : '--key'), isChosen ? token('--accent') : undefined);
    }
  }

  /** A pull is a clip; a touch is a dot at the head of the clip that is the response to it. */
  private drawEvent({ scale, rowPx, chosen, dragBy }: Picture, clip: EventClip, top: number, token: Token): void {
    const { brush } = this;
    const isChosen = chosen.has(keyId(clip.path, clip.at));
    const by = isChosen ? dragBy : 0;
    const [from, to] = [scale.x(clip.at + by), scale.x(clip.end + by)];
    const colour = token(clip.kind === 'pull' ? '--clip-designed' : '--contract');
    brush.beginPath();
    brush.roundRect(from, top + 4.5, Math.max(4, to - from), rowPx - 9, 3);
    brush.globalAlpha = clip.kind === 'pull' ? 0.55 : 0.3;
    brush.fillStyle = colour;
    brush.fill();
    brush.globalAlpha = 1;
    brush.strokeStyle = isChosen ? token('--accent') : colour;
    brush.lineWidth = isChosen ? 1.8 : 1;
    brush.stroke();
    brush.lineWidth = 1;
    const label = clip.kind === 'pull' ? 'Pull' : 'Response';
    brush.font = `520 10px ${token('--font')}`;
    brush.textAlign = 'left';
    brush.textBaseline = 'middle';
    brush.fillStyle = token('--tx-1');
    const inset = clip.kind === 'pull' ? 6 : 10;
    if (to - from > brush.measureText(label).width + inset + 4) brush.fillText(label, from + inset, top + rowPx / 2 + 0.5);
    if (clip.kind === 'pull') return;
    brush.beginPath();
    brush.arc(from, top + rowPx / 2, 4.6, 0, 2 * Math.PI);
    brush.fillStyle = isChosen ? token('--tx-1') : colour;
    brush.fill();
  }

  private diamond(x: number, y: number, r: number, colour: string, edge?: string): void {
    const { brush } = this;
    brush.beginPath();
    brush.moveTo(x, y - r);
    brush.lineTo(x + r, y);
    brush.lineTo(x, y + r);
    brush.lineTo(x - r, y);
    brush.closePath();
    brush.fillStyle = colour;
    brush.fill();
    if (!edge) return;
    brush.strokeStyle = edge;
    brush.lineWidth = 1.8;
    brush.stroke();
    brush.lineWidth = 1;
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
    brush.clip();
    // Ochre from where frames are of the scene before an edit.
    const stale = picture.staleFrom === null ? to : Math.min(to, scale.x(picture.staleFrom));
    for (const [start, end, shade] of [[from, stale, colour], [stale, to, token('--warn')]] as const) {
      this.fill(start, top, end - start, rowPx, shade, 0.3);
      brush.save();
      brush.beginPath();
      brush.rect(start, top, end - start, rowPx);
      brush.clip();
      brush.globalAlpha = 0.28;
      for (let x = Math.floor(start / 6) * 6 - rowPx; x < end; x += 6) this.line(x, top + rowPx, x + rowPx, top, shade);
      brush.restore();
    }
    brush.restore();
    box(from + 0.5, to - from - 1);
    brush.strokeStyle = colour;
    brush.stroke();
    brush.font = `520 11px ${token('--font')}`;
    brush.textAlign = 'left';
    brush.textBaseline = 'middle';
    brush.fillStyle = token('--tx-1');
    if (to - from > brush.measureText(label).width + 20) brush.fillText(label, Math.max(from, 0) + 9, top + rowPx / 2 + 0.5);
  }

  /** Something that acts from one frame to another; what is muted is an outline. */
  private drawClip({ scale, rowPx }: Picture, { from, to, label, colour, muted }: Track & { kind: 'clip' }, top: number, token: Token): void {
    const { brush } = this;
    const [left, right] = [scale.x(from), scale.x(to)];
    brush.save();
    brush.beginPath();
    brush.roundRect(left + 0.5, top + 3.5, Math.max(3, right - left - 1), rowPx - 7, 3);
    brush.globalAlpha = muted ? 0.12 : 0.38;
    brush.fillStyle = token(colour);
    brush.fill();
    brush.globalAlpha = muted ? 0.5 : 1;
    brush.setLineDash(muted ? [4, 3] : []);
    brush.strokeStyle = token(colour);
    brush.stroke();
    brush.clip();
    brush.font = `520 11px ${token('--font')}`;
    brush.textAlign = 'left';
    brush.textBaseline = 'middle';
    brush.fillStyle = token(muted ? '--tx-3' : '--tx-1');
    brush.fillText(label, Math.max(left, 0) + 9, top + rowPx / 2 + 0.5);
    brush.restore();
  }

  private drawPlot(picture: Picture, track: Track & { kind: 'plot' }, top: number, token: Token): void {
    const { brush } = this;
    const { scale, rowPx } = picture;
    const [start, end] = track.whole ? [picture.first, picture.last] : [picture.recordedFrom, picture.recordedTo];
    const known: [number, number][] = [];
    for (let frame = start; frame <= end; frame++) {
      const value = track.at(frame);
      if (value !== undefined) known.push([frame, value]);
    }
    if (known.length < 2) return;
    const low = track.fromZero ? 0 : known.reduce((least, [, value]) => Math.min(least, value), Infinity);
    const span = known.reduce((most, [, value]) => Math.max(most, value), -Infinity) - low || 1;
    const y = (value: number): number => top + rowPx - 5 - ((value - low) / span) * (rowPx - 10);
    const colour = token(track.colour);
    brush.strokeStyle = brush.fillStyle = colour;
    brush.lineWidth = 1.4;
    brush.lineJoin = 'round';
    for (const part of unbroken(known)) {
      brush.beginPath();
      if (part.length === 1) {
        brush.arc(scale.x(part[0]![0]), y(part[0]![1]), 1.1, 0, 2 * Math.PI);
        brush.fill();
        continue;
      }
      part.forEach(([frame, value], i) => (i === 0 ? brush.moveTo(scale.x(frame), y(value)) : brush.lineTo(scale.x(frame), y(value))));
      brush.stroke();
      brush.lineTo(scale.x(part.at(-1)![0]), top + rowPx - 1);
      brush.lineTo(scale.x(part[0]![0]), top + rowPx - 1);
      brush.globalAlpha = 0.12;
      brush.fill();
      brush.globalAlpha = 1;
    }
    brush.lineWidth = 1;
  }

  private drawBox({ x0, y0, x1, y1 }: NonNullable<Picture['box']>, token: Token): void {
    const { brush } = this;
    const [x, y, w, h] = [Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0)];
    this.fill(x, y, w, h, token('--accent'), 0.14);
    brush.strokeStyle = token('--accent');
    brush.strokeRect(x + 0.5, y + 0.5, w, h);
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
    brush.textBaseline = 'middle';
    brush.fillText(text, x, 9.5);
  }

  private fill(x: number, y: number, w: number, h: number, colour: string, alpha: number): void {
    this.brush.globalAlpha = alpha;
    this.brush.fillStyle = colour;
    this.brush.fillRect(x, y, w, h);
    this.brush.globalAlpha = 1;
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
