/** Names of key shapes over the stage: none lies on another, however near their shapes stand. */

export interface KeyLabel {
  text: string;
  /** Its middle, in pixels. */
  x: number;
  y: number;
}

/** About how wide a letter is, what stands around all of them, and how far one line is from the next. */
const LETTER_PX = 6.2;
const AROUND_PX = 18;
const LINE_PX = 22;

const widthOf = ({ text }: KeyLabel): number => text.length * LETTER_PX + AROUND_PX;
const meet = (a: KeyLabel, b: KeyLabel): boolean => 2 * Math.abs(a.x - b.x) < widthOf(a) + widthOf(b) && Math.abs(a.y - b.y) < LINE_PX;

/** Earlier ones stay where they are; a later one that would lie on one of them goes up or down to the nearest line that is free. */
export function apart<T extends KeyLabel>(labels: readonly T[]): T[] {
  const placed: T[] = [];
  for (const label of labels) {
    // Of n labels, n lines to one side are never all taken.
    const lines = labels.flatMap((_, i) => (i === 0 ? [0] : [-i, i]));
    const tries = lines.map((line): T => ({ ...label, y: label.y + line * LINE_PX }));
    placed.push(tries.find((one) => !placed.some((other) => meet(one, other))) ?? label);
  }
  return placed;
}
