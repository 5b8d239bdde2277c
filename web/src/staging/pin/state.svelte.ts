import type { Place, Region } from './region';

/** What the pin tools show while they are used. */
export class PinState {
  /** What is being drawn. */
  region = $state.raw<Region | null>(null);
  /** Where the brush is. */
  hover = $state.raw<Place | null>(null);
  /** What the last one did, in words. */
  said = $state<string | null>(null);
}
