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
  /** The frames that are shown, in the order of their slots. */
  private frames: number[] = [];
  private preview = -1;
  /** The last of them is on its way: the next takes its slot. */
  private isOnItsWay = false;
  private areWanted = true;
  private token: (name: string) => string = () => '';

  constructor(
    private readonly scene: Scene,
    private readonly paint: FieldPaint,
  ) {}

  get count(): number {
    return this.frames.length;
  }

  /** Frames that arrive while none are wanted are not shown. */
  want(areWanted: boolean): void {
    this.areWanted = areWanted;
    if (!areWanted) this.hide();
  }

  /** A frame of another preview takes those before away. */
  show(frame: Frame, live: readonly SoftBody[], isOnItsWay: boolean): void {
    if (!this.areWanted) return;
    if (frame.stepMs !== this.preview) this.hide();
    else if (this.isOnItsWay) this.frames.pop();
    this.preview = frame.stepMs;
    this.isOnItsWay = isOnItsWay;
    // A page that was slow is told of the same ghost again.
    const known = this.frames.indexOf(frame.frame);
    const at = known < 0 ? this.frames.push(frame.frame) - 1 : known;
    let slot = this.slots[at];
    if (!slot) {
      slot = new Ghosts(this.scene, this.paint, '--ghost-next', NEAREST_OPACITY * FADES ** this.slots.length);
      slot.setTheme(this.token);
      this.slots.push(slot);
    }
    slot.show(frame, live);
    slot.setVisible(true);
  }

  /** Where a body's points are in the last state that is shown; empty where there is none. */
  placesOf(body: number): number[] {
    return this.slots[this.frames.length - 1]?.places(body) ?? [];
  }

  hide(): void {
    for (const slot of this.slots) slot.setVisible(false);
    this.frames = [];
    this.preview = -1;
    this.isOnItsWay = false;
  }

  update(renderer: WebGLRenderer): void {
    for (const slot of this.slots.slice(0, this.frames.length)) slot.update(renderer);
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
