/** What comes next, as bodies that are seen through: later ones are fainter. Made once and shown again, for they follow the hand. */
import type { WebGLRenderer } from 'three';
import type { Frame } from '../client/wire';
import type { Drawing, DrawingPlace } from '../stage/drawing';
import { Ghosts } from '../stage/ghosts';

const NEAREST_OPACITY = 0.3;
const FADES = 0.88;

export class NextGhosts implements Drawing {
  private readonly slots: Ghosts[] = [];
  /** The frames that are shown, in the order of their slots. */
  private frames: number[] = [];
  private preview = -1;
  /** The last of them is on its way: the next takes its slot. */
  private isOnItsWay = false;
  private areWanted = true;
  private token: (name: string) => string = () => '';

  constructor(private readonly place: DrawingPlace) {}

  get count(): number {
    return this.frames.length;
  }

  /** Frames that arrive while none are wanted, though they were asked for before, are not shown. */
  want(areWanted: boolean): void {
    this.areWanted = areWanted;
    if (!areWanted) this.hide();
    this.place.redraw();
  }

  /** A frame of another preview takes those before away. */
  show(frame: Frame, isOnItsWay: boolean): void {
    const live = this.place.bodies();
    if (!this.areWanted || frame.bodies.length !== live.length) return;
    if (frame.stepMs !== this.preview) this.hide();
    else if (this.isOnItsWay) this.frames.pop();
    this.preview = frame.stepMs;
    this.isOnItsWay = isOnItsWay;
    // A page that was slow is told of the same ghost again.
    const known = this.frames.indexOf(frame.frame);
    const at = known < 0 ? this.frames.push(frame.frame) - 1 : known;
    let slot = this.slots[at];
    if (!slot) {
      slot = new Ghosts(this.place.scene, this.place.paint, '--ghost-next', NEAREST_OPACITY * FADES ** this.slots.length);
      slot.setTheme(this.token);
      this.slots.push(slot);
    }
    slot.show(frame, live);
    slot.setVisible(true);
    this.place.redraw();
  }

  /** Where a body's points are in the last state that is shown, metres, one coordinate after the other: for checks. Empty where there is none. */
  placesOf(body: number): number[] {
    return this.slots[this.frames.length - 1]?.places(body) ?? [];
  }

  hide(): void {
    for (const slot of this.slots) slot.setVisible(false);
    this.frames = [];
    this.preview = -1;
    this.isOnItsWay = false;
  }

  followBodies(renderer: WebGLRenderer): void {
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
