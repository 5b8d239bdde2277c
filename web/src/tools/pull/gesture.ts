/**
 * Pulling a body by hand. The pointer is in one of three states, each a class that says what comes next:
 * idle → reaching (pressed, waiting for the server's pick) → pulling → idle. A press that does not move selects.
 */
import type { Command, Hit } from '../../document/generated/protocol';
import type { Ray, Vec3 } from '../../document/vector';
import type { Pointer } from '../../workspace/left';

export type { Pointer };

/** What the gesture needs of the rest of the page. */
export interface Hands {
  pick(ray: Ray): Promise<Hit | null>;
  send(command: Command): void;
  select(body: number): void;
  /** Through a pixel of the viewport. */
  rayThrough(x: number, y: number): Ray;
  forward(): Vec3;
  showPull(body: number, atRest: Vec3, to: Vec3): void;
  hidePull(): void;
}

export interface PullState {
  readonly name: 'idle' | 'reaching' | 'pulling';
  /** `later` takes a state that comes of something else than the pointer: an answer of the server. */
  press(pointer: Pointer, later?: (state: PullState) => void): PullState;
  move(pointer: Pointer): PullState;
  release(): PullState;
  /** Escape, or the pointer was lost. */
  cancel(): PullState;
}
