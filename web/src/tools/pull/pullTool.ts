import type { LeftTool, Pointer } from '../../workspace/left';
import type { Hands, PullState } from './gesture';
import { Idle } from './idle';

/** Selects and pulls: the tool that is there when no other is. */
export class PullTool implements LeftTool {
  readonly doing = 'pull';
  private state: PullState;

  constructor(hands: Hands) {
    this.state = new Idle(hands);
  }

  press(pointer: Pointer): void {
    this.state = this.state.press(pointer, (state) => (this.state = state));
  }

  move(pointer: Pointer): void {
    this.state = this.state.move(pointer);
  }

  release(): void {
    this.state = this.state.release();
  }

  cancel(): void {
    this.state = this.state.cancel();
  }
}
