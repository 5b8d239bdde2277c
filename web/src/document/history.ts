/** What was measured at each recorded frame, for the plots under the timeline. */
export class History {
  private readonly stepMs = new Map<number, number>();
  private readonly heightsM: Map<number, number>[] = [];
  /** Rises with every change, so that views know when to draw. */
  revision = 0;

  note(frame: number, stepMs: number, heightsM: readonly number[]): void {
    this.stepMs.set(frame, stepMs);
    heightsM.forEach((height, body) => {
      const known = (this.heightsM[body] ??= new Map<number, number>());
      known.set(frame, height);
    });
    this.revision += 1;
  }

  /** Forgets what is outside the recorded range: it was cut off, or is too long ago. */
  keep(from: number, to: number): void {
    for (const known of [this.stepMs, ...this.heightsM]) {
      for (const frame of known.keys()) {
        if (frame < from || frame > to) {
          known.delete(frame);
          this.revision += 1;
        }
      }
    }
  }

  clear(): void {
    this.keep(1, 0);
  }

  stepMsAt(frame: number): number | undefined {
    return this.stepMs.get(frame);
  }

  heightAt(body: number, frame: number): number | undefined {
    return this.heightsM[body]?.get(frame);
  }
}
