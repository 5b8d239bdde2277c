/** Chooses the part of a key's shape that is worked on: painted with a brush, or in a box. Ctrl takes away, Shift adds to a box. */
import type { Session } from '../client/session.svelte';
import type { ShownKey } from '../client/wire';
import type { Vec3 } from '../document/vector';
import type { Viewport } from '../stage/viewport';
import type { Held, LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import { KeyShow } from './keyShow';
import { keyInHand, reachM } from './sculpting';
import { keysOf } from './state.svelte';

/** Points of a key's flesh in the world. */
function* pointsOf({ positions, origin }: ShownKey): Generator<[number, Vec3]> {
  for (let i = 0; i < positions.length / 3; i++) yield [i, [origin[0] + positions[3 * i]!, origin[1] + positions[3 * i + 1]!, origin[2] + positions[3 * i + 2]!]];
}

export class PartBrush implements LeftTool {
  readonly doing = 'key-paint';

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
  ) {}

  press(pointer: Pointer, held: Held): void {
    if (keyInHand(this.session, this.studio)) this.move(pointer, held);
  }

  move(pointer: Pointer, held: Held): void {
    const { session, studio, viewport } = this;
    const hand = keyInHand(session, studio);
    const hit = hand && viewport.drawing(KeyShow).bodyOf(hand.shown)?.picker.hit(viewport.rayThrough(pointer.x, pointer.y));
    if (!hand || !hit) return;
    const radius = 0.5 * reachM(studio, viewport, hand.shown.body);
    const part = new Set(keysOf(studio).part);
    for (const [point, at] of pointsOf(hand.shown)) {
      if (Math.hypot(at[0] - hit.at[0], at[1] - hit.at[1], at[2] - hit.at[2]) > radius) continue;
      if (held.ctrl) part.delete(point);
      else part.add(point);
    }
    keysOf(studio).part = part;
  }

  release(): void {}
  cancel(): void {}
}

export class PartBox implements LeftTool {
  readonly doing = 'key-box';
  private from: Pointer | null = null;
  private before: ReadonlySet<number> = new Set();

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
  ) {}

  press(pointer: Pointer): void {
    this.from = keyInHand(this.session, this.studio) ? pointer : null;
    this.before = keysOf(this.studio).part;
  }

  move(pointer: Pointer, held: Held): void {
    const { from, studio, viewport } = this;
    const hand = from && keyInHand(this.session, studio);
    if (!from || !hand) return;
    const [x0, x1] = [Math.min(from.x, pointer.x), Math.max(from.x, pointer.x)];
    const [y0, y1] = [Math.min(from.y, pointer.y), Math.max(from.y, pointer.y)];
    const part = new Set(held.ctrl || held.shift ? this.before : []);
    for (const [point, at] of pointsOf(hand.shown)) {
      const { x, y } = viewport.pixelOf(at);
      if (x < x0 || x > x1 || y < y0 || y > y1) continue;
      if (held.ctrl) part.delete(point);
      else part.add(point);
    }
    keysOf(studio).box = { x0, y0, x1, y1 };
    keysOf(studio).part = part;
  }

  /** A click on nothing chooses the whole body. */
  release(): void {
    if (this.from && !keysOf(this.studio).box) keysOf(this.studio).part = new Set();
    this.end();
  }

  cancel(): void {
    keysOf(this.studio).part = this.before;
    this.end();
  }

  private end(): void {
    this.from = null;
    keysOf(this.studio).box = null;
  }
}
