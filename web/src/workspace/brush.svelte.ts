/** The brush that tools share: its size, and the ring that it draws on the surface. */
import type { Vec3 } from '../document/vector';

/** A ring on the surface under the pointer. */
export interface Ring {
  /** The tools that it is shown for. */
  tools: readonly string[];
  at: Vec3;
  normal: Vec3;
  radiusM: number;
  /** How far beyond it paint fades into what was there; none for tools that have no edge. */
  softM: number;
  onBody: boolean;
  x: number;
  y: number;
  /** What stands beside it. */
  words(): string;
}

export class BrushState {
  sizePx = $state(26);
  ring = $state.raw<Ring | null>(null);
}
