/** What directors measured at each frame that was shown, kept so that it can be drawn over their curves. */
import type { MeasureInfo, Transport } from '../document/generated/protocol';

export class Measured {
  /** Rises with every change. */
  revision = $state(0);
  private readonly known = new Map<string, Map<number, number>>();
  private stale: number | null = null;

  note({ shown, measures, recorded_from, recorded_to, stale_from }: Transport): void {
    this.stale = stale_from;
    let changed = false;
    for (const { body, director, name, value } of measures) {
      const key = keyOf(body, director, name);
      let frames = this.known.get(key);
      if (!frames) this.known.set(key, (frames = new Map()));
      changed ||= frames.get(shown) !== value;
      frames.set(shown, value);
    }
    for (const frames of this.known.values()) {
      for (const frame of frames.keys()) if (frame < recorded_from || frame > recorded_to) changed = frames.delete(frame) || changed;
    }
    if (changed) this.revision += 1;
  }

  clear(): void {
    this.known.clear();
    this.revision += 1;
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
