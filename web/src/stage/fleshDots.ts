/** The flesh itself: a dot at every point that is simulated, in the field's colours where one is shown. */
import { BufferGeometry, DynamicDrawUsage, Float32BufferAttribute, Points, ShaderMaterial, Color } from 'three';
import type { BodyFlesh } from '../client/wire';
import { FIELD_GLSL } from './colourMaps';
import type { FieldPaint } from './fieldPaint';

const VERTEX = /* glsl */ `
attribute float value, side;
uniform float sizePx;
varying float fieldValue, cutSide;
void main() {
  fieldValue = value;
  cutSide = side;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = sizePx;
}`;

const FRAGMENT = /* glsl */ `
${FIELD_GLSL}
uniform vec3 colour;
uniform float fieldOn;
varying float fieldValue, cutSide;
void main() {
  if (cutSide > 0.0) discard;
  float r = length(gl_PointCoord - 0.5) * 2.0;
  if (r > 1.0) discard;
  vec3 shown = fieldOn > 0.5 ? fieldColour(fieldValue) : colour;
  gl_FragColor = vec4(shown * (1.0 - 0.45 * smoothstep(0.45, 1.0, r)), 1.0);
  #include <colorspace_fragment>
}`;

export class FleshDots {
  readonly points: Points<BufferGeometry, ShaderMaterial>;

  constructor(pointCount: number, colour: Color, paint: FieldPaint, fieldOn: { value: number }) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(new Float32Array(3 * pointCount), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('value', new Float32BufferAttribute(new Float32Array(pointCount), 1));
    geometry.setAttribute('side', new Float32BufferAttribute(new Float32Array(pointCount).fill(-1), 1));
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, toneMapped: false,
      uniforms: { ...paint.uniforms, fieldOn, colour: { value: colour }, sizePx: { value: 6 * Math.min(2, window.devicePixelRatio) } },
    });
    this.points = new Points(geometry, material);
    this.points.frustumCulled = false;
    this.points.visible = false;
  }

  show(flesh: BodyFlesh): void {
    this.fill('position', flesh.positions);
  }

  setMarks(values: Float32Array | null, sides: Float32Array | null): void {
    const { count } = this.points.geometry.getAttribute('value');
    this.fill('value', values ?? new Float32Array(count));
    this.fill('side', sides ?? new Float32Array(count).fill(-1));
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.points.material.dispose();
  }

  private fill(name: string, numbers: Float32Array): void {
    const attribute = this.points.geometry.getAttribute(name);
    if (numbers.length !== attribute.array.length) return;
    (attribute.array as Float32Array).set(numbers);
    attribute.needsUpdate = true;
  }
}
