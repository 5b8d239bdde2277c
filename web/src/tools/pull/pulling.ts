import type { Hit } from '../../document/generated/protocol';
import { type Vec3, rayOnPlane } from '../../document/vector';
import type { Hands, Pointer, PullState } from './gesture';
import { Idle } from './idle';

/** Holds the body; the target stays on the plane through the held point that faced the camera when it was taken. */
export class Pulling implements PullState {
  readonly name = 'pulling';
  private readonly facing: Vec3;

  constructor(
    private readonly hands: Hands,
    private readonly hit: Hit,
  ) {
    this.facing = hands.forward();
  }

  press = (): PullState => this;

  move(pointer: Pointer): PullState {
    const { body, at, at_rest } = this.hit;
    const to = rayOnPlane(this.hands.rayThrough(pointer.x, pointer.y), at, this.facing);
    if (to) {
      this.hands.send({ do: 'drag', body, at_rest, to });
      this.hands.showPull(body, at_rest, to);
    }
    return this;
  }

  release(): PullState {
    this.hands.send({ do: 'let_go', body: this.hit.body });
    this.hands.hidePull();
    return new Idle(this.hands);
  }

  cancel = (): PullState => this.release();
}
