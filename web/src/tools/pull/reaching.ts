import type { Hit } from '../../document/generated/protocol';
import type { Hands, Pointer, PullState } from './gesture';
import { Idle } from './idle';
import { Pulling } from './pulling';

/** Farther than this a press is a pull. */
const SLACK_PX = 3;

/**
 * Pressed; the server is asked what lies there. Becomes a pull once something does and the pointer has moved, in either order: a quick flick
 * that then holds still pulls when the answer comes.
 */
export class Reaching implements PullState {
  readonly name = 'reaching';
  private hit: Hit | null = null;
  /** Where the pointer is now, until the press is over. */
  private at: Pointer | null;

  constructor(
    private readonly hands: Hands,
    private readonly from: Pointer,
    later?: (state: PullState) => void,
  ) {
    this.at = from;
    void hands.pick(hands.rayThrough(from.x, from.y)).then((hit) => {
      this.hit = hit;
      if (hit) hands.select(hit.body);
      const pull = this.at && this.pull(this.at);
      if (pull) later?.(pull);
    });
  }

  press = (): PullState => this;

  move(pointer: Pointer): PullState {
    this.at = pointer;
    return this.pull(pointer) ?? this;
  }

  release(): PullState {
    this.at = null;
    return new Idle(this.hands);
  }

  cancel = (): PullState => this.release();

  /** The pull that this has become. */
  private pull(pointer: Pointer): PullState | null {
    const moved = Math.hypot(pointer.x - this.from.x, pointer.y - this.from.y) > SLACK_PX;
    if (!this.hit || !moved) return null;
    this.at = null;
    return new Pulling(this.hands, this.hit).move(pointer);
  }
}
