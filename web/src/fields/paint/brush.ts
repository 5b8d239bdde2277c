/** What brushes that paint share: the canvas, the value, and how far paint reaches. */
import type { Vec3 } from '../../document/vector';
import { SurfaceBrush } from '../../tools/surfaceBrush';
import type { Held, Pointer } from '../../workspace/left';
import { type Canvas, canvasOf } from '../muscle';
import { reachOf, valueInWords } from '../paints';
import { RING_TOOLS, fieldsOf } from '../state.svelte';

const WORDS: Record<string, string> = { 'paint-face': 'Face', 'paint-flat': 'Flat', 'paint-stroke': 'Stroke', 'paint-erase': 'Erase', direction: 'Direction' };

export class Brush extends SurfaceBrush {
  protected override readonly tools = RING_TOOLS;

  get canvas(): Canvas | null {
    return canvasOf(this.session.document?.scene, this.studio.bodyPath, this.studio.selection);
  }

  /** The size of the flesh's cells: paint finer than that is lost. */
  edgeM(): number {
    return this.viewport.fields.edgeOf(this.studio.body);
  }

  /** Presses on another body choose it. Whether it did. */
  chooseOther(pointer: Pointer): boolean {
    const hit = this.viewport.hitAt(pointer.x, pointer.y);
    if (!hit || this.isSelected(hit.body)) return false;
    this.studio.selectBody(hit.body);
    return true;
  }

  valueWith(held: Held): number {
    return held.ctrl ? fieldsOf(this.studio).opposite : fieldsOf(this.studio).value;
  }

  /** Nothing finer than the flesh can be painted. */
  protected override ringM(at: Vec3): number {
    return Math.max(this.radiusAt(at), this.edgeM());
  }

  /** How far a stroke of a value fades into what is there. */
  protected override softM(): number {
    const { canvas, studio } = this;
    return canvas && studio.tool === 'paint-stroke' ? reachOf(canvas, fieldsOf(studio).field, this.viewport.fields.sizeOf(studio.body)) : 0;
  }

  protected override words(): string {
    const { tool } = this.studio;
    const { field, value } = fieldsOf(this.studio);
    return `${WORDS[tool] ?? ''}${tool.startsWith('paint-') && tool !== 'paint-erase' ? ` ${valueInWords(field, value)}` : ''}`;
  }
}
