/** Frames ↔ pixels of the timeline. */
export interface Tick {
  frame: number;
  major: boolean;
}

/** What a ruler shows. */
export interface TimeWindow {
  from: number;
  to: number;
  ticks: number[];
}

/** Room before the first and after the last frame. */
const MARGIN_PX = 16;
const LEAST_FRAMES = 4;

export class TimeScale {
  /** The frames at the left and right edge; fractions are fine. */
  private left: number;
  private right: number;

  constructor(
    private first: number,
    private last: number,
    private widthPx: number,
  ) {
    [this.left, this.right] = [first, Math.max(last, first + 1)];
  }

  setWidth(widthPx: number): void {
    this.widthPx = Math.max(1, widthPx);
  }

  x(frame: number): number {
    return MARGIN_PX + ((frame - this.left) / (this.right - this.left)) * this.inner;
  }

  frame(x: number): number {
    return this.left + ((x - MARGIN_PX) / this.inner) * (this.right - this.left);
  }

  /** The whole frame nearest to a pixel, within the scene. */
  frameAt(x: number): number {
    return Math.min(this.last, Math.max(this.first, Math.round(this.frame(x))));
  }

  /** Scales about the frame under `x`; never beyond the scene's range. */
  zoom(x: number, factor: number): void {
    const at = this.frame(x);
    const span = Math.min(this.last - this.first, Math.max(LEAST_FRAMES, (this.right - this.left) * factor));
    if (this.last - this.first <= LEAST_FRAMES) return;
    const share = (at - this.left) / (this.right - this.left);
    this.place(at - share * span, span);
  }

  pan(dxPx: number): void {
    const span = this.right - this.left;
    this.place(this.left - (dxPx / this.inner) * span, span);
  }

  /** Ticks of 1, 2 or 5 times a power of ten, numbers far enough apart to be read. */
  ticks(numberEveryPx = 46): Tick[] {
    const perFrame = this.inner / (this.right - this.left);
    const major = roundUp(Math.max(1, numberEveryPx / perFrame));
    const minor = perFrame * (major / 5) >= 5 && major % 5 === 0 ? major / 5 : major;
    const ticks: Tick[] = [];
    const from = Math.ceil(Math.max(this.first, this.left) / minor) * minor;
    for (let frame = from; frame <= Math.min(this.last, this.right); frame += minor) {
      ticks.push({ frame, major: frame % major === 0 });
    }
    return ticks;
  }

  /** The frames at both edges of what is seen, and those with a number: what stands under the ruler is drawn by them. */
  get window(): TimeWindow {
    return { from: this.left, to: this.right, ticks: this.ticks().flatMap(({ frame, major }) => (major ? [frame] : [])) };
  }

  private get inner(): number {
    return Math.max(1, this.widthPx - 2 * MARGIN_PX);
  }

  private place(left: number, span: number): void {
    this.left = Math.min(this.last - span, Math.max(this.first, left));
    this.right = this.left + span;
  }
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const nice of [1, 2, 5, 10]) if (nice * power >= value - 1e-9) return nice * power;
  return 10 * power;
}
