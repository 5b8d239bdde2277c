import type { Hands, Pointer, PullState } from './gesture';
import { Reaching } from './reaching';

export class Idle implements PullState {
  readonly name = 'idle';

  constructor(private readonly hands: Hands) {}

  press = (pointer: Pointer, later?: (state: PullState) => void): PullState => new Reaching(this.hands, pointer, later);
  move = (): PullState => this;
  release = (): PullState => this;
  cancel = (): PullState => this;
}
