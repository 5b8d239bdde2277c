/** What a workspace draws on the stage: a class that the viewport makes one of, and calls when something is to be done. */
import type { Scene, WebGLRenderer } from 'three';
import type { FieldPaint } from './fieldPaint';
import type { SoftBody } from './softBody';

/** Where it draws. */
export interface DrawingPlace {
  readonly scene: Scene;
  readonly paint: FieldPaint;
  /** The bodies on stage now. */
  bodies(): readonly SoftBody[];
  /** Asks for another picture. */
  draw(): void;
  /** Asks for another picture with everything that follows bodies made anew. */
  redraw(): void;
}

export interface Drawing {
  /** Before each picture. */
  beforePicture?(): void;
  /** Before each view of a picture: its size in pixels, and pixels of the screen for each of them. */
  setScreen?(widthPx: number, heightPx: number, ratio: number): void;
  /** Bodies have moved. */
  followBodies?(renderer: WebGLRenderer): void;
  setTheme?(token: (name: string) => string): void;
  /** The bodies are going: another scene follows. */
  clear?(): void;
  dispose?(): void;
}

export type DrawingKind<T extends Drawing = Drawing> = new (place: DrawingPlace) => T;

/** One of each kind that workspaces named. */
export class Drawings {
  private readonly known: ReadonlyMap<DrawingKind, Drawing>;

  constructor(kinds: readonly DrawingKind[], place: DrawingPlace) {
    this.known = new Map(kinds.map((Kind) => [Kind, new Kind(place)]));
  }

  get all(): Iterable<Drawing> {
    return this.known.values();
  }

  of<T extends Drawing>(kind: DrawingKind<T>): T {
    const found = this.known.get(kind);
    if (!found) throw new Error(`No workspace has ${kind.name} among its drawings`);
    return found as T;
  }
}
