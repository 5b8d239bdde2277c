/** What came of a curve, to be drawn over it. */

export interface Band {
  from: number;
  to: number;
  /** A token of the theme. */
  colour: string;
  label: string;
}

/** Dashed lines over a plot: places along the axis, and heights from 0 at its foot to 1 at its head. */
export interface Beside {
  /** A token of the theme. */
  colour: string;
  /** Between one part and the next nothing is known: no line is drawn there. A part of one place is a dot. */
  parts: readonly (readonly (readonly [at: number, share: number])[])[];
}

export interface CurveResult {
  /** Where something is held. */
  hold: Band | null;
  lines: Beside[];
  names: { colour: string; name: string; value: string }[];
}
