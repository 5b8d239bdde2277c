/** What all brushes share: where the pointer is on the body, the ring that shows it, and the canvas that is painted. */
import type { Session } from '../../client/session.svelte';
import type { Studio } from '../../workspace/studio.svelte';
import type { Vec3 } from '../../document/vector';
import { type Canvas, canvasOf } from '../muscle';
import { reachOf } from '../paints';
import type { StageHit, Viewport } from '../../stage/viewport';
import type { Held, Pointer } from '../../workspace/left';

export class Brush {
  constructor(
    readonly session: Session,
    readonly studio: Studio,
    readonly viewport: Viewport,
  ) {}

  get canvas(): Canvas | null {
    return canvasOf(this.session.document?.scene, this.studio.bodyPath, this.studio.selection);
  }

  /** The place under the pointer, on the body that is painted. */
  hit(pointer: Pointer): StageHit | null {
    const hit = this.viewport.hitAt(pointer.x, pointer.y);
    return hit && this.isPainted(hit.body) ? hit : null;
  }

  /** Copies of a body share its fields. */
  private isPainted(body: number): boolean {
    const { scene, selected } = this.session;
    return scene?.bodies[body]?.path === scene?.bodies[selected]?.path;
  }

  /** The size of the flesh's cells: paint finer than that is lost. */
  edgeM(): number {
    return this.viewport.fields.edgeOf(this.studio.body);
  }

  /** Presses on another body choose it. Whether it did. */
  chooseOther(pointer: Pointer): boolean {
    const hit = this.viewport.hitAt(pointer.x, pointer.y);
    if (!hit || this.isPainted(hit.body)) return false;
    this.studio.selectBody(hit.body);
    return true;
  }

  valueWith(held: Held): number {
    return held.ctrl ? this.studio.fields.opposite : this.studio.fields.value;
  }

  /** The brush's radius at a place. */
  radiusAt(at: Vec3): number {
    return this.viewport.pane.metresPerPixel(at) * this.studio.fields.sizePx;
  }

  /** How far a stroke of a value fades into what is there. */
  private softM(): number {
    const { canvas, studio } = this;
    return canvas && studio.tool === 'paint-stroke' ? reachOf(canvas, studio.fields.field, this.viewport.fields.sizeOf(studio.body)) : 0;
  }

  hover = (pointer: Pointer | null): void => {
    const { fields } = this.studio;
    if (!pointer) {
      fields.ring = null;
      return;
    }
    this.viewport.activate(pointer.x, pointer.y);
    const hit = this.hit(pointer);
    if (!hit) {
      fields.ring = { at: [0, 0, 0], normal: [0, 0, 1], radiusM: 0, softM: 0, onBody: false, ...pointer };
      return;
    }
    const { forward } = this.viewport.orbit;
    const normal: Vec3 = hit.on === 'skin' ? hit.normal : [-forward[0], -forward[1], -forward[2]];
    // Nothing finer than the flesh can be painted.
    const radiusM = this.studio.tool === 'touch' ? this.radiusAt(hit.at) : Math.max(this.radiusAt(hit.at), this.edgeM());
    fields.ring = { at: hit.at, normal, radiusM, softM: this.softM(), onBody: true, ...pointer };
  };
}
