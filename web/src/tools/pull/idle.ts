import type { Hands, Pointer, PullState } from './gesture';
import { Reaching } from './reaching';

export class Idle implements PullState {
  readonly name = 'idle';

  constructor(private readonly hands: Hands) {}

  press = (pointer: Pointer): PullState => new Reaching(this.hands, pointer);
  move = (): PullState => this;
  release = (): PullState => this;
  cancel = (): PullState => this;
}
