/** A hard thing that bodies touch. The plane that is the floor is not drawn: the ground's grid and shadow stand for it. */
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry, type Vector3 } from 'three';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import type { Pose } from '../client/wire';
import type { ObstacleShape } from '../document/generated/protocol';
import { type Moved, carried } from './placed';
import { CASTER_LAYER, asShadow } from './contactShadow';
import { PlanePatch } from './planePatch';

/** The `--obstacle` token of the dark theme; a lit colour reads alike in both. */
const COLOUR = '#8f98a5';

/** Skins touch with their vertices: drawn this much smaller, a ball does not show through the triangles between them. */
const DRAWN = 0.99;

const ONCE: [number, number, number] = [1, 1, 1];

/** Edges of meshes that are sharper than this are drawn sharp. */
const CREASE_RAD = 0.6;

export class ObstacleShape3d {
  readonly group = new Group();
  readonly shadow = asShadow(new MeshBasicMaterial());
  /** None for planes, which have a patch instead. */
  readonly mesh: Mesh | null = null;
  readonly patch: PlanePatch | null = null;
  private pose: Pose | null = null;
  private moved: Moved | null = null;
  private readonly geometry: BufferGeometry | null;
  private readonly material = new MeshStandardMaterial({
    color: COLOUR, roughness: 0.8, metalness: 0,
    // Skins that rest on it cut its corners; drawn a little deeper, it does not show through.
    polygonOffset: true, polygonOffsetFactor: 3, polygonOffsetUnits: 60,
  });

  constructor(shape: ObstacleShape) {
    this.geometry = geometryOf(shape);
    if (!this.geometry) {
      this.patch = new PlanePatch(COLOUR);
      return;
    }
    this.mesh = new Mesh(this.geometry, this.material);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.layers.enable(CASTER_LAYER);
    this.group.add(this.mesh);
  }

  /** What holds it where it stands; none for planes. */
  get ball(): { centre: Vector3; radiusM: number } | null {
    if (!this.geometry) return null;
    if (!this.geometry.boundingSphere) this.geometry.computeBoundingSphere();
    const ball = this.geometry.boundingSphere;
    // A mesh need not lie about its origin.
    return { centre: this.group.position.clone(), radiusM: ball ? ball.radius + ball.center.length() : 0 };
  }

  /** Whether it is the floor that the ground is drawn for: a plane that lies level at no height. */
  get isFloor(): boolean {
    if (!this.patch || !this.pose) return false;
    const [x, , z] = this.pose.turn;
    return Math.abs(this.pose.at[1]) < 1e-3 && Math.hypot(x, z) < 1e-3;
  }

  show(pose: Pose): void {
    this.pose = pose;
    this.stand();
  }

  /** Shown elsewhere than the stage has it; none puts it back. */
  place(moved: Moved | null): void {
    this.moved = moved;
    this.stand();
  }

  private stand(): void {
    const { pose, moved } = this;
    if (!pose) return;
    this.group.position.set(...(moved ? carried(pose.at, moved) : pose.at));
    this.group.quaternion.set(...pose.turn);
    if (moved) this.group.quaternion.premultiply(moved.turn);
    this.group.scale.set(...(moved?.times ?? ONCE));
    this.patch?.stand(this.group.position, this.group.quaternion);
  }

  dispose(): void {
    this.geometry?.dispose();
    this.patch?.dispose();
    this.material.dispose();
    this.shadow.dispose();
  }
}

function geometryOf(shape: ObstacleShape): BufferGeometry | null {
  switch (shape.kind) {
    case 'plane':
      return null;
    case 'sphere':
      return new SphereGeometry(DRAWN * shape.radius_m, 48, 32);
    case 'box':
      return new BoxGeometry(...shape.half_m.map((half) => 2 * DRAWN * half));
    case 'capsule':
      return new CapsuleGeometry(DRAWN * shape.radius_m, 2 * shape.half_length_m, 12, 40);
    case 'mesh': {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(shape.positions), 3));
      geometry.setIndex(shape.triangles);
      return toCreasedNormals(geometry, CREASE_RAD);
    }
  }
}
