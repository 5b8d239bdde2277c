/** Keys on the timeline that are no keys of a channel: whoever knows them says where they are, and how they are moved and removed. */
import type { Json, SceneCommand } from '../document/generated/protocol';
import type { Studio } from './studio.svelte';

export interface KeyKind {
  /** Whether keys of this kind stand at a path. */
  owns(path: string): boolean;
  /** Frames of all of them. */
  frames(scene: Json | undefined): number[];
  /** Whether a key that `isMoving` does not name stands at a frame. */
  isTaken(scene: Json | undefined, path: string, frame: number, isMoving: (at: number) => boolean): boolean;
  /** None where it cannot be there. */
  move(scene: Json | undefined, path: string, from: number, to: number): SceneCommand | null;
  /** All that are removed together, of all paths of this kind. */
  remove(scene: Json | undefined, chosen: readonly { path: string; at: number }[]): SceneCommand[];
  /** What a press on one of them selects. */
  select(studio: Studio, path: string): void;
  /** What a move of one is called in the history. */
  noun: string;
}
