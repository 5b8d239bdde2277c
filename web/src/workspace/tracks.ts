/** Rows of the dope sheet, and what is drawn in them. */
import type { IconName } from '../ui/icons';

/** What a hand did to a body, from its first frame to the one at which it, or the response to it, is over. */
export interface EventClip {
  path: string;
  kind: 'pull' | 'touch';
  at: number;
  end: number;
}

/** A row under the ruler. */
export type Track =
  | { kind: 'recorded'; label: string }
  | { kind: 'keys'; path: string; keys: { at: number; value: number; held: boolean }[] }
  | { kind: 'events'; clips: EventClip[] }
  | { kind: 'summary'; frames: number[] }
  | { kind: 'clip'; from: number; to: number; label: string; colour: string; muted: boolean }
  | { kind: 'plot'; colour: string; fromZero: boolean; whole?: boolean; at: (frame: number) => number | undefined };

export interface DopeRow {
  id: string;
  icon: IconName;
  name: string;
  value: string;
  level: 0 | 1;
  /** What choosing it selects. */
  path: string | null;
  track: Track;
}
