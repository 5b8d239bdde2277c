/** What directors measured at each frame that was shown, kept so that it can be drawn over their curves. */
import type { MeasureInfo, Transport } from '../document/generated/protocol';

export class Measured {
  /** Rises with every change. */
  revision = $state(0);
  private readonly known = new Map<string, Map<number, number>>();
  /** All that was measured at a frame, as it came. */
  private readonly lists = new Map<number, readonly MeasureInfo[]>();
  /** What a director said when its frames were simulated, by body and director. */
  private readonly texts = new Map<string, Map<number, string>>();
  private stale: number | null = null;

  /** `textOf` is what a director of a body says now. */
  note({ shown, measures, recorded_from, recorded_to, stale_from }: Transport, textOf: (body: number, director: string) => string | null = () => null): void {
    this.stale = stale_from;
    let changed = false;
    this.lists.set(shown, measures);
    for (const { body, director, name, value } of measures) {
      const key = keyOf(body, director, name);
      let frames = this.known.get(key);
      if (!frames) this.known.set(key, (frames = new Map()));
      if (frames.get(shown) === value) continue;
      changed = true;
      frames.set(shown, value);
      this.stamp(body, director, shown, textOf);
    }
    for (const frames of [this.lists, ...this.known.values(), ...this.texts.values()]) {
      for (const frame of frames.keys()) if (frame < recorded_from || frame > recorded_to) changed = frames.delete(frame) || changed;
    }
    if (changed) this.revision += 1;
  }

  /** A frame that is seen again is as it was made: only a new one is of what the director says now. */
  private stamp(body: number, director: string, frame: number, textOf: (body: number, director: string) => string | null): void {
    const text = textOf(body, director);
    if (text === null) return;
    const key = keyOf(body, director, '');
    let frames = this.texts.get(key);
    if (!frames) this.texts.set(key, (frames = new Map()));
    frames.set(frame, text);
  }

  /** What a director said when a frame was simulated. */
  textAt(body: number, director: string, frame: number): string | undefined {
    return this.texts.get(keyOf(body, director, ''))?.get(frame);
  }

  clear(): void {
    this.known.clear();
    this.lists.clear();
    this.texts.clear();
    this.revision += 1;
  }

  /** All that was measured at a frame; none where it was not seen. */
  listAt(frame: number): readonly MeasureInfo[] | undefined {
    return this.lists.get(frame);
  }

  at(body: number, director: string, name: string, frame: number): number | undefined {
    return this.known.get(keyOf(body, director, name))?.get(frame);
  }

  /** Frames with what was measured there, in order; those that an edit has made stale are left out. */
  series(body: number, director: string, name: string): [number, number][] {
    const all = [...(this.known.get(keyOf(body, director, name)) ?? [])].sort((a, b) => a[0] - b[0]);
    return this.stale === null ? all : all.filter(([frame]) => frame <= this.stale!);
  }
}

const keyOf = (body: number, director: string, name: string): string => `${body}/${director}/${name}`;

/** One of the numbers that were measured at the shown frame. */
export function measuredNow(measures: readonly MeasureInfo[] | undefined, body: number, director: string, name: string | null): MeasureInfo | undefined {
  return measures?.find((each) => each.body === body && each.director === director && each.name === name);
}
