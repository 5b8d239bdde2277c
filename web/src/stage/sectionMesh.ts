/** The open cut: flat, unlit, in the colours of the field, so that values can be read off and painted. */
import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Mesh, ShaderMaterial } from 'three';
import type { Section } from '../client/wire';
import type { Ray, Vec3 } from '../document/vector';
import { add, scale } from '../document/vector';
import { FIELD_GLSL } from './colourMaps';
import type { FieldPaint } from './fieldPaint';
import { blend, meet } from './skinPicker';

const VERTEX = /* glsl */ `
attribute float value;
varying float fieldValue;
varying vec3 seen;
void main() {
  fieldValue = value;
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  seen = at.xyz;
  gl_Position = projectionMatrix * at;
}`;

const FRAGMENT = /* glsl */ `
${FIELD_GLSL}
uniform vec3 colour;
uniform float fieldOn, relief;
varying float fieldValue;
varying vec3 seen;
void main() {
  vec3 even = fieldOn > 0.5 ? fieldColour(fieldValue) : colour;
  // One colour on a curved layer would hide its shape.
  float facing = abs(normalize(cross(dFdx(seen), dFdy(seen))).z);
  gl_FragColor = vec4(even * mix(1.0, 0.45 + 0.55 * facing, relief), 1.0);
  #include <colorspace_fragment>
}`;

/** A place on the section. */
export interface SectionHit {
  at: Vec3;
  atRest: Vec3;
  value: number;
  distanceM: number;
}

export class SectionMesh {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  section: Section | null = null;
  /** Rises when the cut itself changes, not when the body moves. */
  shapeRevision = 0;
  private hasValues = false;

  constructor(paint: FieldPaint) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, side: DoubleSide, toneMapped: false,
      uniforms: { ...paint.uniforms, fieldOn: { value: 0 }, relief: { value: 0 }, colour: { value: new Color('#c98f8a') } },
    });
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  show(section: Section): void {
    const before = this.section;
    this.section = section;
    const { geometry } = this.mesh;
    if (before && sameCut(before, section)) {
      refill(geometry, 'position', section.world);
      refill(geometry, 'value', section.values);
    } else {
      this.shapeRevision += 1;
      geometry.dispose();
      geometry.setAttribute('position', new BufferAttribute(section.world.slice(), 3).setUsage(DynamicDrawUsage));
      geometry.setAttribute('value', new BufferAttribute(section.values.slice(), 1).setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(section.triangles, 1));
    }
    this.hasValues = section.values.length > 0 && !Number.isNaN(section.values[0]!);
    this.mesh.visible = section.triangles.length > 0;
  }

  hide(): void {
    this.section = null;
    this.mesh.visible = false;
  }

  /** In the colours of its values, or plain where a view shows another look. */
  setColoured(on: boolean): void {
    this.mesh.material.uniforms.fieldOn!.value = on && this.hasValues ? 1 : 0;
  }

  /** Shades the surface by how it faces the eye: layers curve, planes do not. */
  setRelief(on: boolean): void {
    this.mesh.material.uniforms.relief!.value = on ? 1 : 0;
  }

  setColour(colour: string): void {
    (this.mesh.material.uniforms.colour!.value as Color).set(colour);
  }

  hit(ray: Ray): SectionHit | null {
    const { section } = this;
    if (!section || !this.mesh.visible) return null;
    const { world, rest, values, triangles } = section;
    let found: { t: number; distance: number; u: number; v: number } | null = null;
    for (let t = 0; t < triangles.length; t += 3) {
      const meets = meet(world, triangles, t, ray.origin, ray.direction);
      if (meets && (!found || meets.distance < found.distance)) found = { t, ...meets };
    }
    if (!found) return null;
    const { t, distance, u, v } = found;
    const corners = [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!];
    const weights: Vec3 = [1 - u - v, u, v];
    return {
      at: add(ray.origin, scale(ray.direction, distance)),
      atRest: blend(rest, corners, weights),
      value: corners.reduce((sum, corner, i) => sum + values[corner]! * weights[i]!, 0),
      distanceM: distance,
    };
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** The same buffer every frame, so that none are left behind. */
function refill(geometry: BufferGeometry, name: string, numbers: Float32Array): void {
  const attribute = geometry.getAttribute(name);
  (attribute.array as Float32Array).set(numbers);
  attribute.needsUpdate = true;
}

function sameCut(a: Section, b: Section): boolean {
  if (a.body !== b.body || a.triangles.length !== b.triangles.length || a.rest.length !== b.rest.length) return false;
  return a.rest.every((c, i) => c === b.rest[i]);
}
