import type { Hit } from '../../document/generated/protocol';
import type { Hands, Pointer, PullState } from './gesture';
import { Idle } from './idle';
import { Pulling } from './pulling';

/** Farther than this a press is a pull. */
const SLACK_PX = 3;

/** Pressed; the server is asked what lies there. Becomes a pull once something does and the pointer has moved. */
export class Reaching implements PullState {
  readonly name = 'reaching';
  private hit: Hit | null = null;

  constructor(
    private readonly hands: Hands,
    private readonly from: Pointer,
  ) {
    void hands.pick(hands.rayThrough(from.x, from.y)).then((hit) => {
      this.hit = hit;
      if (hit) hands.select(hit.body);
    });
  }

  press = (): PullState => this;

  move(pointer: Pointer): PullState {
    const moved = Math.hypot(pointer.x - this.from.x, pointer.y - this.from.y) > SLACK_PX;
    if (!this.hit || !moved) return this;
    return new Pulling(this.hands, this.hit).move(pointer);
  }

  release = (): PullState => new Idle(this.hands);
  cancel = (): PullState => new Idle(this.hands);
}
