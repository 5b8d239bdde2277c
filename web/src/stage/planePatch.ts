/**
 * A plane that bodies touch, where it is not the floor that the grid shows: a patch of it about what is looked at, with lines of its own, that fades
 * towards its rim. Seen from both sides; from behind, weaker.
 */
import { Color, DoubleSide, Group, Mesh, Plane, PlaneGeometry, Quaternion, ShaderMaterial, Vector3 } from 'three';

const VERTEX = /* glsl */ `
varying vec2 place;
uniform float reach;
void main() {
  place = position.xz * reach;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position.x * reach, 0.0, position.z * reach, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec2 place;
uniform vec3 colour;
uniform float cell, reach;
void main() {
  vec2 cells = place / cell;
  vec2 away = abs(fract(cells - 0.5) - 0.5) / fwidth(cells);
  float line = 1.0 - clamp(min(away.x, away.y), 0.0, 1.0);
  float fade = 1.0 - smoothstep(0.55, 1.0, length(place) / reach);
  float side = gl_FrontFacing ? 1.0 : 0.45;
  gl_FragColor = vec4(colour, (0.20 + 0.34 * line) * fade * side);
  #include <colorspace_fragment>
}`;

const UP = new Vector3(0, 1, 0);

export class PlanePatch {
  readonly group = new Group();
  readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly at = new Vector3();
  private readonly turn = new Quaternion();
  private readonly plane = new Plane();

  constructor(colour: string) {
    const uniforms = { colour: { value: new Color(colour) }, cell: { value: 0.25 }, reach: { value: 1 } };
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, transparent: true, depthWrite: false, side: DoubleSide });
    this.mesh = new Mesh(new PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
    this.mesh.frustumCulled = false; // its size is the shader's
    this.group.add(this.mesh);
    this.group.visible = false;
  }

  stand(at: Vector3, turn: Quaternion): void {
    this.at.copy(at);
    this.turn.copy(turn);
  }

  /** Lies about what is looked at. The floor itself is not drawn twice. */
  fit(centre: Vector3, sizeM: number): void {
    this.plane.setFromNormalAndCoplanarPoint(UP.clone().applyQuaternion(this.turn), this.at);
    const level = this.plane.normal.y > 0.9999;
    this.group.visible = !(level && Math.abs(this.at.y) < 1e-3 * sizeM);
    this.plane.projectPoint(centre, this.group.position);
    this.group.quaternion.copy(this.turn);
    const { uniforms } = this.mesh.material;
    uniforms.reach!.value = 3.2 * sizeM;
    uniforms.cell!.value = 10 ** Math.round(Math.log10(Math.max(sizeM, 1e-3) / 4));
  }

  /** How far along a ray it is met, within what is drawn of it; none where it is not. */
  hit(origin: Vector3, direction: Vector3): number | null {
    if (!this.group.visible) return null;
    const along = this.plane.normal.dot(direction);
    if (Math.abs(along) < 1e-9) return null;
    const distanceM = -this.plane.distanceToPoint(origin) / along;
    const away = origin.clone().addScaledVector(direction, distanceM).distanceTo(this.group.position);
    return distanceM > 0 && away < 0.7 * this.mesh.material.uniforms.reach!.value ? distanceM : null;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
