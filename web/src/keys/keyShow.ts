/** Key shapes on the stage, as bodies that are seen through: earlier ones in one colour, later ones in another, the chosen one brighter. */
import { BufferGeometry, Color, Float32BufferAttribute, Points, PointsMaterial, type WebGLRenderer } from 'three';
import type { ShownKey } from '../client/wire';
import type { Ray } from '../document/vector';
import type { Drawing, DrawingPlace } from '../stage/drawing';
import type { SurfaceHit } from '../stage/skinPicker';
import type { SoftBody } from '../stage/softBody';

const OPACITY = 0.2;
const CHOSEN_OPACITY = 0.5;

interface Slot {
  body: SoftBody;
  /** Whose twin it is. */
  of: SoftBody;
}

export interface KeyHit extends SurfaceHit {
  key: ShownKey;
}

export class KeyShow implements Drawing {
  private slots: Slot[] = [];
  private shown: readonly ShownKey[] = [];
  private visible = true;
  private frame = 0;
  private chosen: ShownKey | null = null;
  /** The part of the chosen key that is worked on. */
  private part: ReadonlySet<number> = new Set();
  private readonly dots = new Points(new BufferGeometry(), new PointsMaterial({ size: 5, sizeAttenuation: false, depthTest: false, transparent: true, toneMapped: false }));
  private colours = { past: new Color('#6f9bd8'), next: new Color('#b39af0') };

  constructor(private readonly place: DrawingPlace) {
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 9;
    place.scene.add(this.dots);
  }

  get keys(): readonly ShownKey[] {
    return this.visible ? this.shown : [];
  }

  /** All keys that are shown from now on. */
  show(keys: readonly ShownKey[]): void {
    const live = this.place.bodies();
    this.shown = keys.filter(({ body, positions }) => live[body]?.model.pointCount === positions.length / 3);
    for (const slot of this.slots.splice(this.shown.length)) this.drop(slot);
    this.shown.forEach((key, i) => {
      const of = live[key.body]!;
      const known = this.slots[i];
      if (known && known.of !== of) this.drop(known);
      const slot = known?.of === of ? known : this.make(of);
      this.slots[i] = slot;
      slot.body.show({ origin: key.origin, positions: key.positions });
    });
    this.dress();
    this.place.redraw();
  }

  /** Which of them are seen, which lie behind, and which is worked on. */
  set(visible: boolean, frame: number, chosen: ShownKey | null, part: ReadonlySet<number> = new Set()): void {
    [this.visible, this.frame, this.chosen, this.part] = [visible, frame, chosen, part];
    this.dress();
    this.place.draw();
  }

  /** The nearest one along a ray. */
  hit(ray: Ray): KeyHit | null {
    let nearest: KeyHit | null = null;
    this.keys.forEach((key, i) => {
      const hit = this.slots[i]?.body.picker.hit(ray);
      if (hit && (!nearest || hit.distanceM < nearest.distanceM)) nearest = { ...hit, key };
    });
    return nearest;
  }

  /** The body that a key is drawn as. */
  bodyOf(key: ShownKey): SoftBody | undefined {
    return this.slots[this.shown.indexOf(key)]?.body;
  }

  followBodies(renderer: WebGLRenderer): void {
    for (const { body } of this.slots) body.update(renderer);
  }

  setTheme(token: (name: string) => string): void {
    this.colours = { past: new Color(token('--ghost-past') || '#6f9bd8'), next: new Color(token('--ghost-next') || '#b39af0') };
    this.dots.material.color.set(token('--gizmo-hover') || '#ffd766');
    this.dress();
  }

  dispose(): void {
    this.clear();
    this.dots.geometry.dispose();
    this.dots.material.dispose();
  }

  clear(): void {
    for (const slot of this.slots.splice(0)) this.drop(slot);
    this.shown = [];
  }

  private drawPart(): void {
    const { chosen, part } = this;
    this.dots.visible = this.visible && chosen !== null && part.size > 0;
    if (!this.dots.visible || !chosen) return;
    const places = [...part].filter((point) => 3 * point < chosen.positions.length).flatMap((point) => [...chosen.positions.subarray(3 * point, 3 * point + 3)]);
    this.dots.geometry.setAttribute('position', new Float32BufferAttribute(places, 3));
    this.dots.position.set(...chosen.origin);
  }

  private dress(): void {
    this.drawPart();
    this.slots.forEach(({ body: { mesh } }, i) => {
      const key = this.shown[i]!;
      mesh.visible = this.visible;
      mesh.material.color.copy(key.frame <= this.frame ? this.colours.past : this.colours.next);
      mesh.material.opacity = key === this.chosen ? CHOSEN_OPACITY : OPACITY;
    });
  }

  private make(of: SoftBody): Slot {
    const body = of.twin(this.colours.past, this.place.paint);
    const { mesh } = body;
    // What the body has not moved from stays the body's own.
    Object.assign(mesh.material, { transparent: true, opacity: OPACITY, depthWrite: false, vertexColors: false, map: null, polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 4 });
    mesh.castShadow = mesh.receiveShadow = false;
    mesh.layers.set(0);
    mesh.renderOrder = 3;
    this.place.scene.add(mesh);
    return { body, of };
  }

  private drop({ body }: Slot): void {
    this.place.scene.remove(body.mesh);
    body.dispose();
  }
}
