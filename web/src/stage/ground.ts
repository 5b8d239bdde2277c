/** The floor: a grid in metres that fades out, the two axes in their colours, and the shadow that ties bodies to it. */
import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, type Vector3 } from 'three';

const VERTEX = /* glsl */ `
varying vec3 world;
void main() {
  vec4 at = modelMatrix * vec4(position, 1.0);
  world = at.xyz;
  gl_Position = projectionMatrix * viewMatrix * at;
}`;

const FRAGMENT = /* glsl */ `
varying vec3 world;
uniform vec3 line, axisX, axisZ, centre;
uniform vec3 square;
uniform float lineAlpha, cell, reach, solid, squareAlpha;

// Coverage of a line of about one pixel, antialiased; thinner than a cell's pixel it fades instead of shimmering.
float lines(vec2 at, float every, float width) {
  vec2 cells = at / every;
  vec2 pixel = fwidth(cells);
  vec2 away = abs(fract(cells - 0.5) - 0.5);
  vec2 on = clamp(0.5 * width + 0.5 - away / pixel, 0.0, 1.0);
  on *= clamp(0.35 / pixel, 0.0, 1.0);
  return max(on.x, on.y);
}
float axis(float away) {
  float pixel = fwidth(away);
  return clamp(1.4 - abs(away) / pixel, 0.0, 1.0);
}
// Squares of two shades whose edges are soft, and far away one shade.
float squares(vec2 at, float every) {
  vec2 wave = sin(at / every * 3.14159265);
  float pixel = max(fwidth(at.x), fwidth(at.y)) / every;
  return 0.5 + 0.5 * clamp(wave.x * wave.y * 6.0, -1.0, 1.0) * clamp(1.0 - 1.6 * pixel, 0.0, 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.15, 1.0, distance(world.xz, centre.xz) / reach);
  float grid = max(lines(world.xz, cell, 1.0) * 0.55, lines(world.xz, cell * 5.0, 1.2));
  float fill = solid * squareAlpha * mix(0.55, 1.0, squares(world.xz, cell * 5.0));
  float lined = grid * lineAlpha * mix(1.0, 0.6, solid);
  vec4 colour = vec4(mix(square, line, lined / max(1e-4, lined + fill)), lined + fill * (1.0 - lined));
  float onX = axis(world.z), onZ = axis(world.x);
  colour = mix(colour, vec4(axisX, 0.62), onX);
  colour = mix(colour, vec4(axisZ, 0.62), onZ);
  gl_FragColor = vec4(colour.rgb, colour.a * fade);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly group = new Group();
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shadow: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor() {
    const uniforms = {
      line: { value: new Color() }, lineAlpha: { value: 0.07 }, axisX: { value: new Color() },
      axisZ: { value: new Color() }, square: { value: new Color() }, solid: { value: 0 }, squareAlpha: { value: 0.5 }, centre: { value: this.group.position }, cell: { value: 0.25 }, reach: { value: 10 },
    };
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, transparent: true, depthWrite: false, side: DoubleSide,
    });
    const plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    this.grid = new Mesh(plane, material);
    this.shadow = new Mesh(plane, new ShadowMaterial({ opacity: 0.5, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -1;
    this.grid.frustumCulled = false;
    this.group.add(this.shadow, this.grid);
  }

  /** Sizes cells and reach to what is looked at. */
  fit(centre: Vector3, sizeM: number): void {
    const cell = 10 ** Math.round(Math.log10(Math.max(sizeM, 1e-3) / 4));
    const reach = Math.max(sizeM * 9, cell * 20);
    this.group.position.set(centre.x, 0, centre.z);
    this.group.scale.set(reach, 1, reach);
    const { uniforms } = this.grid.material;
    uniforms.cell!.value = cell;
    uniforms.reach!.value = reach;
  }

  /** Whether a plane is there that things lie on: then it is seen as one. */
  setSolid(solid: boolean): void {
    this.grid.material.uniforms.solid!.value = solid ? 1 : 0;
  }

  setTheme(token: (name: string) => string): void {
    const { uniforms } = this.grid.material;
    const grid = parseRgba(token('--vp-grid'));
    uniforms.line!.value.set(grid.colour);
    uniforms.lineAlpha!.value = Math.min(1, grid.alpha * 2.2);
    const floor = parseRgba(token('--vp-floor'));
    uniforms.square!.value.set(floor.colour);
    uniforms.squareAlpha!.value = floor.alpha;
    uniforms.axisX!.value.set(token('--axis-x'));
    uniforms.axisZ!.value.set(token('--axis-z'));
    this.shadow.material.opacity = grid.colour === '#ffffff' ? 0.16 : 0.08;
  }

  dispose(): void {
    this.grid.geometry.dispose();
    this.grid.material.dispose();
    this.shadow.material.dispose();
  }
}

/** `rgba(r, g, b, a)` or `#rrggbbaa` as three wants it: an opaque colour and its opacity. */
export function parseRgba(text: string): { colour: string; alpha: number } {
  if (text.startsWith('#')) {
    const digits = text.length <= 5 ? [...text.slice(1)].map((digit) => digit + digit).join('') : text.slice(1);
    const alpha = digits.length === 8 ? parseInt(digits.slice(6), 16) / 255 : 1;
    return { colour: `#${digits.slice(0, 6)}`, alpha };
  }
  const [r = 255, g = 255, b = 255, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  const hex = [r, g, b].map((c) => Math.round(c).toString(16).padStart(2, '0')).join('');
  return { colour: `#${hex}`, alpha: a };
}
