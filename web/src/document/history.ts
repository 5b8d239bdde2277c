/** What was measured at each recorded frame, for the plots under the timeline. */
export class History {
  private readonly stepMs = new Map<number, number>();
  private readonly heightsM: Map<number, number>[] = [];
  /** The frames that anything is known of lie between these. */
  private low = Infinity;
  private high = -Infinity;
  /** Rises with every change, so that views know when to draw. */
  revision = 0;

  note(frame: number, stepMs: number, heightsM: readonly number[]): void {
    this.low = Math.min(this.low, frame);
    this.high = Math.max(this.high, frame);
    this.stepMs.set(frame, stepMs);
    heightsM.forEach((height, body) => {
      const known = (this.heightsM[body] ??= new Map<number, number>());
      known.set(frame, height);
    });
    this.revision += 1;
  }

  /** The same for a frame that was simulated before anyone looked; what was seen stays. */
  fill(frame: number, stepMs: number, heightsM: readonly number[]): void {
    if (!this.stepMs.has(frame)) this.note(frame, stepMs, heightsM);
  }

  /** Forgets what is outside the recorded range: it was cut off, or is too long ago. */
  keep(from: number, to: number): void {
    if (from <= this.low && to >= this.high) return;
    this.low = Math.max(this.low, from);
    this.high = Math.min(this.high, to);
    for (const known of [this.stepMs, ...this.heightsM]) {
      for (const frame of known.keys()) {
        if (frame < from || frame > to) known.delete(frame);
      }
    }
    this.revision += 1;
  }

  clear(): void {
    this.keep(Infinity, -Infinity);
    [this.low, this.high] = [Infinity, -Infinity];
  }

  /** Whether anything between two recorded frames was not seen. */
  hasGaps(from: number, to: number): boolean {
    return this.stepMs.size < to - from + 1;
  }

  stepMsAt(frame: number): number | undefined {
    return this.stepMs.get(frame);
  }

  heightAt(body: number, frame: number): number | undefined {
    return this.heightsM[body]?.get(frame);
  }
}
