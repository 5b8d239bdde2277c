/** What comes next, as bodies that are seen through: later ones are fainter. Made once and shown again, for they follow the hand. */
import type { Scene, WebGLRenderer } from 'three';
import type { Frame } from '../client/wire';
import type { FieldPaint } from '../stage/fieldPaint';
import { Ghosts } from '../stage/ghosts';
import type { SoftBody } from '../stage/softBody';

const NEAREST_OPACITY = 0.3;
const FADES = 0.88;

export class NextGhosts {
  private readonly slots: Ghosts[] = [];
  private shown = 0;
  private preview = -1;
  private token: (name: string) => string = () => '';

  constructor(
    private readonly scene: Scene,
    private readonly paint: FieldPaint,
  ) {}

  get count(): number {
    return this.shown;
  }

  /** A frame of another preview takes those before away. */
  show(frame: Frame, live: readonly SoftBody[]): void {
    if (frame.stepMs !== this.preview) this.hide();
    this.preview = frame.stepMs;
    let slot = this.slots[this.shown];
    if (!slot) {
      slot = new Ghosts(this.scene, this.paint, '--ghost-next', NEAREST_OPACITY * FADES ** this.slots.length);
      slot.setTheme(this.token);
      this.slots.push(slot);
    }
    slot.show(frame, live);
    slot.setVisible(true);
    this.shown += 1;
  }

  /** The height of a body's first point in the last state that is shown; nothing where there is none. */
  heightOf(body: number): number {
    return this.slots[this.shown - 1]?.bodyHeight(body) ?? NaN;
  }

  hide(): void {
    for (const slot of this.slots) slot.setVisible(false);
    this.shown = 0;
    this.preview = -1;
  }

  update(renderer: WebGLRenderer): void {
    for (const slot of this.slots.slice(0, this.shown)) slot.update(renderer);
  }

  setTheme(token: (name: string) => string): void {
    this.token = token;
    for (const slot of this.slots) slot.setTheme(token);
  }

  clear(): void {
    this.hide();
    for (const slot of this.slots) slot.clear();
  }
}
