/** The hand on screen: a dot where the body is held, a line to where it is pulled. Drawn over everything. */
import {
  BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Points, ShaderMaterial,
} from 'three';
import type { Vec3 } from '../document/vector';

const DOT_FRAGMENT = /* glsl */ `
uniform vec3 colour;
void main() {
  float r = length(gl_PointCoord - 0.5) * 2.0;
  float edge = fwidth(r);
  float disc = smoothstep(1.0, 1.0 - edge, r);
  float inner = smoothstep(0.62, 0.62 - edge, r);
  gl_FragColor = vec4(mix(vec3(0.01), colour, inner), disc);
  #include <colorspace_fragment>
}`;

export class PullMark {
  readonly group = new Group();
  private readonly geometry = new BufferGeometry();
  private readonly line: Line<BufferGeometry, LineBasicMaterial>;
  private readonly dots: Points<BufferGeometry, ShaderMaterial>;

  constructor() {
    this.geometry.setAttribute('position', new Float32BufferAttribute(new Float32Array(6), 3));
    const line = new LineBasicMaterial({ depthTest: false, transparent: true });
    const dot = new ShaderMaterial({
      vertexShader: `uniform float size; void main() {
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); gl_PointSize = size; }`,
      fragmentShader: DOT_FRAGMENT,
      uniforms: { colour: { value: line.color }, size: { value: 13 } },
      depthTest: false,
      transparent: true,
    });
    this.line = new Line(this.geometry, line);
    this.dots = new Points(this.geometry, dot);
    for (const part of [this.line, this.dots]) {
      part.frustumCulled = false;
      part.renderOrder = 10;
      this.group.add(part);
    }
    this.group.visible = false;
  }

  show(held: Vec3, to: Vec3): void {
    const position = this.geometry.getAttribute('position');
    position.setXYZ(0, ...held);
    position.setXYZ(1, ...to);
    position.needsUpdate = true;
    this.group.visible = true;
  }

  hide(): void {
    this.group.visible = false;
  }

  setTheme(token: (name: string) => string, pixelRatio: number): void {
    this.line.material.color.set(token('--force'));
    this.dots.material.uniforms.size!.value = 13 * pixelRatio;
  }

  dispose(): void {
    this.geometry.dispose();
    this.line.material.dispose();
    this.dots.material.dispose();
  }
}
