/** Metaphors on the stage: outlines of regions, their points, and force lines. Drawn over bodies, in every view. */
import { BufferGeometry, Color, DynamicDrawUsage, Float32BufferAttribute, Group, Points, ShaderMaterial } from 'three';
import { type Vec3, add, cross, length, normalize, scale, sub } from '../document/vector';
import type { Drawing, DrawingPlace } from '../stage/drawing';
import { FatLines } from '../stage/fatLines';
import type { WidgetNow } from './now';
import { outline } from './outlines';

/** What is drawn: all metaphors of a body, one of them selected. */
export interface WidgetsDrawn {
  all: WidgetNow[];
  selected: WidgetNow | null;
  /** The chosen region of the selected one. */
  region: number;
  /** Which way the view looks, for the heads of arrows. */
  forward: Vec3;
}

/** More would hide the body. */
const MOST_ARROWS = 48;

const VERTEX = /* glsl */ `
attribute vec3 tone;
attribute float size;
uniform float ratio;
varying vec3 colour;
void main() {
  colour = tone;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size * ratio;
}`;

const FRAGMENT = /* glsl */ `
varying vec3 colour;
void main() {
  float r = length(gl_PointCoord - 0.5) * 2.0;
  float edge = fwidth(r);
  float disc = 1.0 - smoothstep(1.0 - edge, 1.0, r);
  float inner = 1.0 - smoothstep(0.68 - edge, 0.68, r);
  gl_FragColor = vec4(mix(vec3(0.02), colour, inner), disc);
  #include <colorspace_fragment>
}`;

class Pieces {
  readonly lines: FatLines;
  private ends: number[] = [];

  constructor(widthPx: number) {
    this.lines = new FatLines(widthPx);
    this.lines.mesh.material.depthTest = false;
    this.lines.mesh.renderOrder = 8;
  }

  add = (a: Vec3, b: Vec3): void => void this.ends.push(...a, ...b);

  flush(): void {
    this.lines.set(Float32Array.from(this.ends), this.ends.length / 6);
    this.ends = [];
  }
}

/** How far points are from their middle, in the mean: an arrow of the peak force is about as long as the flesh is wide, however large its region. */
function spreadOf(places: readonly Vec3[]): number {
  const count = Math.max(1, places.length);
  const middle = scale(places.reduce<Vec3>((sum, at) => add(sum, at), [0, 0, 0]), 1 / count);
  return places.reduce((sum, at) => sum + length(sub(at, middle)), 0) / count;
}

export class WidgetShow implements Drawing {
  private readonly group = new Group();
  /** Asked before each picture; none draws nothing. */
  source: (() => WidgetsDrawn | null) | null = null;
  drawn: WidgetsDrawn | null = null;
  private readonly tones = { a: new Pieces(1.6), b: new Pieces(1.6) };
  private readonly chosen = { a: new Pieces(2.6), b: new Pieces(2.6) };
  private readonly faint = new Pieces(1.2);
  private readonly force = new Pieces(1.8);
  private readonly dots: Points<BufferGeometry, ShaderMaterial>;
  private colours = { a: new Color('#5cc8ea'), b: new Color('#c196ff') };

  constructor({ scene }: DrawingPlace) {
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { ratio: { value: 1 } }, transparent: true, depthTest: false, depthWrite: false, toneMapped: false });
    this.dots = new Points(new BufferGeometry(), material);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 9;
    this.faint.lines.mesh.material.uniforms.opacity!.value = 0.45;
    this.group.add(this.dots, ...this.pieces.map(({ lines }) => lines.mesh));
    scene.add(this.group);
  }

  private get pieces(): Pieces[] {
    return [this.faint, this.tones.a, this.tones.b, this.chosen.a, this.chosen.b, this.force];
  }

  beforePicture(): void {
    this.drawn = this.source?.() ?? null;
    this.group.visible = this.drawn !== null;
    const { drawn } = this;
    for (const widget of drawn?.all ?? []) {
      if (widget === drawn!.selected) continue;
      widget.parts.forEach(({ region }, i) => outline(region, widget.frames[i]!, this.faint.add));
    }
    if (drawn?.selected) this.drawSelected(drawn.selected, drawn);
    for (const each of this.pieces) each.flush();
    this.drawDots(drawn?.selected ?? null, drawn?.region ?? 0);
  }

  private drawSelected(widget: WidgetNow, { region: chosen, forward }: WidgetsDrawn): void {
    widget.parts.forEach(({ region, tone }, i) => outline(region, widget.frames[i]!, (i === chosen ? this.chosen : this.tones)[tone].add));
    const reach = Math.max(...widget.places.map(spreadOf), 1e-9);
    widget.places.forEach((places, part) => {
      const every = Math.max(1, Math.ceil(places.length / MOST_ARROWS));
      places.forEach((at, i) => {
        const force = widget.forces[part]![i]!;
        if (i % every === 0) this.arrow(at, scale(force, (1.4 * reach) / Math.max(widget.mostN, 1e-12)), forward);
      });
    });
  }

  private arrow(at: Vec3, way: Vec3, forward: Vec3): void {
    const long = length(way);
    if (long < 1e-9) return;
    const tip = add(at, way);
    this.force.add(at, tip);
    const aside = normalize(cross(way, forward));
    const back = sub(tip, scale(way, 0.22));
    for (const sign of [-1, 1]) this.force.add(tip, add(back, scale(aside, sign * 0.09 * long)));
  }

  private drawDots(widget: WidgetNow | null, chosen: number): void {
    const [places, tones, sizes]: [number[], number[], number[]] = [[], [], []];
    widget?.places.forEach((all, part) => {
      const colour = this.colours[widget.parts[part]!.tone];
      for (const at of all) {
        places.push(...at);
        tones.push(colour.r, colour.g, colour.b);
        sizes.push(part === chosen ? 8 : 6);
      }
    });
    if (widget) {
      places.push(...widget.frame.at);
      tones.push(1, 1, 1);
      sizes.push(9);
    }
    const { geometry } = this.dots;
    for (const [name, numbers, size] of [['position', places, 3], ['tone', tones, 3], ['size', sizes, 1]] as const) {
      const known = geometry.getAttribute(name);
      if (known && known.array.length === numbers.length) {
        (known.array as Float32Array).set(numbers);
        known.needsUpdate = true;
      } else geometry.setAttribute(name, new Float32BufferAttribute(numbers, size).setUsage(DynamicDrawUsage));
    }
    this.dots.visible = sizes.length > 0;
  }

  /** Before each picture of a pane; points are measured in pixels of the picture, lines in those of the screen. */
  setScreen(widthPx: number, heightPx: number, pixelRatio: number): void {
    this.dots.material.uniforms.ratio!.value = pixelRatio;
    for (const { lines } of this.pieces) lines.setScreen(widthPx, heightPx);
  }

  setTheme(token: (name: string) => string): void {
    const edge = '#10141c';
    this.tones.a.lines.setColour(token('--region-a'), edge);
    this.tones.b.lines.setColour(token('--region-b'), edge);
    this.chosen.a.lines.setColour(token('--region-a'), edge);
    this.chosen.b.lines.setColour(token('--region-b'), edge);
    this.faint.lines.setColour(token('--tx-2'), edge);
    this.force.lines.setColour(token('--force'), edge);
    this.colours = { a: new Color(token('--region-a')), b: new Color(token('--region-b')) };
  }

  dispose(): void {
    for (const { lines } of this.pieces) lines.dispose();
    this.dots.geometry.dispose();
    this.dots.material.dispose();
  }
}
