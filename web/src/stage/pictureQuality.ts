/**
 * How good a picture the machine can draw 20 times a second. It is lowered step by step while pictures take longer, and raised
 * again, ever more carefully, once they take far less. What stands still is drawn in full.
 */
export interface Quality {
  /** Pixels drawn for each one of the screen, along a side. */
  resolution: number;
  shadows: boolean;
  /** Whether dense skins are drawn with all their triangles. */
  fullSkin: boolean;
  /** In words for people; none for the full picture. */
  words: string | null;
}

/** Each step takes away what is missed least among what is left. */
export const QUALITIES: readonly Quality[] = [
  { resolution: 1, shadows: true, fullSkin: true, words: null },
  { resolution: 0.75, shadows: true, fullSkin: true, words: '¾ resolution' },
  { resolution: 0.5, shadows: true, fullSkin: true, words: '½ resolution' },
  { resolution: 0.5, shadows: false, fullSkin: true, words: '½ resolution, no shadows' },
  { resolution: 0.35, shadows: false, fullSkin: false, words: '⅓ resolution, no shadows, coarse skin' },
];

/** 20 pictures a second. */
const SLOW_MS = 50;
/** Less than this leaves room for the next better step, which takes up to twice as long. */
const FAST_MS = 22;
/** Measurements that a step down is decided by: one slow picture (a shader is made, a window opened) is none. */
const FEW = 6;
/** And a step up, to begin with. */
const MANY = 48;

export class PictureQuality {
  private step = 0;
  private times: number[] = [];
  /** Measurements that the next step up needs; doubled when one had to be taken back. */
  private patience = MANY;
  private triedUp = false;

  get now(): Quality {
    return QUALITIES[this.step]!;
  }

  /** Notes how long a picture of this quality took. Whether the next one is drawn differently. */
  note(ms: number): boolean {
    this.times.push(ms);
    if (this.times.length >= FEW && median(this.times.slice(-FEW)) > SLOW_MS && this.step < QUALITIES.length - 1) {
      if (this.triedUp) this.patience *= 2;
      return this.go(this.step + 1, false);
    }
    if (this.times.length >= this.patience && median(this.times) < FAST_MS && this.step > 0) return this.go(this.step - 1, true);
    if (this.times.length > this.patience) this.times.shift();
    return false;
  }

  private go(step: number, up: boolean): boolean {
    this.step = step;
    this.times = [];
    this.triedUp = up;
    return true;
  }
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}
