/** Straight pieces of line with a width in pixels, many at once: fibres on the surface, lines of a cut. */
import { DynamicDrawUsage, Float32BufferAttribute, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial, Vector2, Color } from 'three';

const VERTEX = /* glsl */ `
attribute vec3 from, to;
uniform vec2 screenPx;
uniform float widthPx, nearer;
varying float across;
void main() {
  vec4 a = projectionMatrix * modelViewMatrix * vec4(from, 1.0);
  vec4 b = projectionMatrix * modelViewMatrix * vec4(to, 1.0);
  vec4 here = position.x < 0.5 ? a : b;
  vec2 along = (b.xy / b.w - a.xy / a.w) * screenPx;
  float size = length(along);
  vec2 aside = size > 1e-6 ? vec2(-along.y, along.x) / size : vec2(0.0);
  across = position.y;
  here.xy += aside * position.y * (0.5 * widthPx + 1.0) / screenPx * 2.0 * here.w;
  here.z -= nearer * here.w;
  gl_Position = here;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 colour, edge;
uniform float widthPx, opacity;
varying float across;
void main() {
  float away = abs(across) * (0.5 * widthPx + 1.0);
  float inside = clamp(0.5 * widthPx - away + 0.5, 0.0, 1.0);
  float dark = clamp(0.5 * widthPx + 1.0 - away, 0.0, 1.0);
  gl_FragColor = vec4(mix(edge, colour, inside), max(inside, 0.45 * dark) * opacity);
  #include <colorspace_fragment>
}`;

export class FatLines {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private room = 0;

  constructor(widthPx: number) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.instanceCount = 0;
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, toneMapped: false,
      uniforms: {
        screenPx: { value: new Vector2(1, 1) }, widthPx: { value: widthPx }, opacity: { value: 1 },
        // A little nearer than the surface they lie on.
        nearer: { value: 0.0016 },
        colour: { value: new Color('#ffffff') }, edge: { value: new Color('#10141c') },
      },
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 4;
  }

  /** Six numbers a piece: from, to. */
  set(ends: Float32Array, count: number): void {
    const { geometry } = this.mesh;
    if (count > this.room) {
      this.room = Math.ceil(count * 1.25);
      for (const name of ['from', 'to']) {
        geometry.setAttribute(name, new InstancedBufferAttribute(new Float32Array(3 * this.room), 3).setUsage(DynamicDrawUsage));
      }
    }
    geometry.instanceCount = count;
    if (count === 0) return;
    const [from, to] = [geometry.getAttribute('from'), geometry.getAttribute('to')];
    for (let i = 0; i < count; i++) {
      (from.array as Float32Array).set(ends.subarray(6 * i, 6 * i + 3), 3 * i);
      (to.array as Float32Array).set(ends.subarray(6 * i + 3, 6 * i + 6), 3 * i);
    }
    from.needsUpdate = to.needsUpdate = true;
  }

  /** The edge sets lines off from every field: dark about light ones, light about dark ones. */
  setColour(colour: string, edge: string): void {
    (this.mesh.material.uniforms.colour!.value as Color).set(colour);
    (this.mesh.material.uniforms.edge!.value as Color).set(edge);
  }

  /** Before each picture of a pane. */
  setScreen(widthPx: number, heightPx: number): void {
    (this.mesh.material.uniforms.screenPx!.value as Vector2).set(widthPx, heightPx);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
