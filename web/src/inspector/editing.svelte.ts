/** One value that is being changed: drags are gestures of the document, everything else is one step. */
import type { Gesture } from '../client/gesture';
import type { Session } from '../client/session.svelte';
import type { SceneCommand } from '../document/generated/protocol';

/** Makes the command for a value, at the frame where the change began: a drag while time runs keys one frame. */
export type Make<T> = (value: T, frame: number) => SceneCommand;

export class Editing<T> {
  private gesture: Gesture | null = null;
  private frame = 0;

  constructor(
    private readonly session: Session,
    private readonly label: () => string,
    private readonly make: Make<T>,
  ) {}

  preview = (value: T): void => {
    if (!this.gesture) {
      this.gesture = this.session.gesture(this.label());
      this.frame = this.session.frame;
    }
    this.gesture.preview(this.make(value, this.frame));
  };

  commit = (value: T): void => {
    if (!this.gesture) return this.session.edit(this.make(value, this.session.frame));
    this.gesture.preview(this.make(value, this.frame));
    this.gesture.commit();
    this.gesture = null;
  };

  cancel = (): void => {
    this.gesture?.cancel();
    this.gesture = null;
  };
}
