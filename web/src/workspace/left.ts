/** What the left button does in the viewport: one of these at a time, chosen by `studio.tool`. */
export interface Pointer {
  /** Pixels from the canvas's top left. */
  x: number;
  y: number;
}

/** Keys that change what a tool does while it is used. */
export interface Held {
  ctrl: boolean;
  shift: boolean;
}

export interface LeftTool {
  /** The word on the canvas while the button is down. */
  readonly doing: string;
  press(pointer: Pointer, held: Held): void;
  /** While the button is down. */
  move(pointer: Pointer, held: Held): void;
  release(): void;
  /** Escape, or the pointer was lost. */
  cancel(): void;
  /** While it is up; none when the pointer leaves. */
  hover?(pointer: Pointer | null, held: Held): void;
}
