/** The colouring that all bodies and sections of a viewport share: one map, its range, and whether it is on. */
import { Color, type DataTexture, SRGBColorSpace, Vector2, Vector4 } from 'three';
import { gradientOf, rampTexture, styleOf } from './colourMaps';

export class FieldPaint {
  /** Handed to shaders by reference: what changes here changes everywhere. */
  readonly uniforms = {
    fieldRamp: { value: null as DataTexture | null },
    fieldRange: { value: new Vector2(0, 1) },
    fieldLowest: { value: new Vector4() },
    fieldHighest: { value: new Vector4() },
  };
  private look: string | null = null;
  private reach = 0;

  get range(): [number, number] {
    const { x, y } = this.uniforms.fieldRange.value;
    return [x, y];
  }

  choose(look: string, token: (name: string) => string): void {
    if (look !== this.look) this.reach = 0;
    this.look = look;
    const style = styleOf(look);
    this.uniforms.fieldRamp.value?.dispose();
    this.uniforms.fieldRamp.value = rampTexture(gradientOf(style.map, token));
    const end = (name: string | undefined): Vector4 => {
      if (!name) return new Vector4();
      const { r, g, b } = new Color().setStyle(token(name), SRGBColorSpace);
      return new Vector4(r, g, b, 1);
    };
    this.uniforms.fieldLowest.value = end(style.exact?.[0]);
    this.uniforms.fieldHighest.value = end(style.exact?.[1]);
    if (style.range) this.uniforms.fieldRange.value.set(...style.range);
  }

  /** Values of a look without fixed ends came: its range grows with them and does not flicker; signed ones stay about 0. */
  widen(low: number, high: number): void {
    if (!this.look || styleOf(this.look).range) return;
    if (styleOf(this.look).signed) {
      this.reach = Math.max(this.reach, Math.abs(low), Math.abs(high), 1e-6);
      this.uniforms.fieldRange.value.set(-this.reach, this.reach);
      return;
    }
    const [from, to] = this.reach > 0 ? this.range : [low, high];
    this.reach = 1;
    this.uniforms.fieldRange.value.set(Math.min(from, low), Math.max(to, high, Math.min(from, low) + 1e-6));
  }

  dispose(): void {
    this.uniforms.fieldRamp.value?.dispose();
  }
}
