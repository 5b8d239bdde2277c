/**
 * The colouring that all bodies and sections of a viewport share: one map and its range at a time. Views may show different
 * looks: each is chosen before its view is drawn, so what a look needs is made once and kept.
 */
import { Color, type DataTexture, SRGBColorSpace, Vector2, Vector4 } from 'three';
import { gradientOf, rampTexture, styleOf } from './colourMaps';

interface Colouring {
  ramp: DataTexture;
  range: Vector2;
  lowest: Vector4;
  highest: Vector4;
}

export class FieldPaint {
  /** Handed to shaders by reference: what changes here changes everywhere. */
  readonly uniforms = {
    fieldRamp: { value: null as DataTexture | null },
    fieldRange: { value: new Vector2(0, 1) },
    fieldLowest: { value: new Vector4(0, 0, 0, 0) },
    fieldHighest: { value: new Vector4(0, 0, 0, 0) },
    fieldLog: { value: 0 },
  };
  private readonly colourings = new Map<string, Colouring>();
  private token: (name: string) => string = () => '';

  setTheme(token: (name: string) => string): void {
    this.token = token;
    for (const [look, { ramp, range }] of [...this.colourings]) {
      ramp.dispose();
      this.colourings.set(look, { ...this.make(look), range });
    }
  }

  rangeOf(look: string): [number, number] {
    const { x, y } = this.of(look).range;
    return [x, y];
  }

  choose(look: string): void {
    const { ramp, range, lowest, highest } = this.of(look);
    const { fieldRamp, fieldRange, fieldLowest, fieldHighest, fieldLog } = this.uniforms;
    Object.assign(fieldRamp, { value: ramp });
    Object.assign(fieldLowest, { value: lowest });
    Object.assign(fieldHighest, { value: highest });
    fieldRange.value.copy(range);
    fieldLog.value = styleOf(look).log ? 1 : 0;
  }

  /** Values came with the range that the server gives a look without ends of its own; it only grows, so colours do not flicker. */
  span(look: string, low: number, high: number): void {
    const { range, signed, least = 1e-6 } = styleOf(look);
    if (range) return;
    // What hardly differs is shown as hardly different, not blown up to the whole map.
    const half = Math.max(Math.abs(low), Math.abs(high), least);
    if (signed) this.of(look).range.set(Math.min(low, -half), Math.max(high, half));
    else this.of(look).range.set(low, Math.max(high, low + least));
  }

  dispose(): void {
    for (const { ramp } of this.colourings.values()) ramp.dispose();
  }

  private of(look: string): Colouring {
    const known = this.colourings.get(look);
    if (known) return known;
    const made = this.make(look);
    this.colourings.set(look, made);
    return made;
  }

  private make(look: string): Colouring {
    const style = styleOf(look);
    const end = (name: string | undefined): Vector4 => {
      if (!name) return new Vector4(0, 0, 0, 0); // three's own begins with 1 in w
      const { r, g, b } = new Color().setStyle(this.token(name), SRGBColorSpace);
      return new Vector4(r, g, b, 1);
    };
    return {
      ramp: rampTexture(gradientOf(style.map, this.token)), range: new Vector2(...(style.range ?? [0, 1])),
      lowest: end(style.exact?.[0]), highest: end(style.exact?.[1]),
    };
  }
}
