/** The colouring that all bodies and sections of a viewport share: one map, its range, and whether it is on. */
import { Color, type DataTexture, SRGBColorSpace, Vector2, Vector4 } from 'three';
import { gradientOf, rampTexture, styleOf } from './colourMaps';

export class FieldPaint {
  /** Handed to shaders by reference: what changes here changes everywhere. */
  readonly uniforms = {
    fieldRamp: { value: null as DataTexture | null },
    fieldRange: { value: new Vector2(0, 1) },
    fieldLowest: { value: new Vector4(0, 0, 0, 0) },
    fieldHighest: { value: new Vector4(0, 0, 0, 0) },
  };
  private look: string | null = null;

  get range(): [number, number] {
    const { x, y } = this.uniforms.fieldRange.value;
    return [x, y];
  }

  choose(look: string, token: (name: string) => string): void {
    this.look = look;
    const style = styleOf(look);
    this.uniforms.fieldRamp.value?.dispose();
    this.uniforms.fieldRamp.value = rampTexture(gradientOf(style.map, token));
    const end = (name: string | undefined): Vector4 => {
      if (!name) return new Vector4(0, 0, 0, 0); // three's own begins with 1 in w
      const { r, g, b } = new Color().setStyle(token(name), SRGBColorSpace);
      return new Vector4(r, g, b, 1);
    };
    this.uniforms.fieldLowest.value = end(style.exact?.[0]);
    this.uniforms.fieldHighest.value = end(style.exact?.[1]);
    if (style.range) this.uniforms.fieldRange.value.set(...style.range);
  }

  /** Values came with the range that the server gives a look without ends of its own; it only grows, so colours do not flicker. */
  span(low: number, high: number): void {
    if (this.look && !styleOf(this.look).range) this.uniforms.fieldRange.value.set(low, Math.max(high, low + 1e-6));
  }

  dispose(): void {
    this.uniforms.fieldRamp.value?.dispose();
  }
}
