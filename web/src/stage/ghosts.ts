/** A kept take beside the live bodies: seen through, brighter at the rim, taking no clicks. */
import { Color, type Scene, type WebGLRenderer } from 'three';
import type { Frame } from '../client/wire';
import type { FieldPaint } from './fieldPaint';
import { SoftBody } from './softBody';

export class Ghosts {
  private bodies: SoftBody[] = [];
  private colour = new Color('#6f9bd8');

  constructor(
    private readonly scene: Scene,
    private readonly paint: FieldPaint,
    private readonly token = '--ghost-past',
    private readonly opacity = 0.28,
  ) {}

  /** None hides them. Ghosts are made of the live bodies' own tables. */
  show(frame: Frame | null, live: readonly SoftBody[]): void {
    if (!frame || frame.bodies.length !== live.length) {
      this.clear();
      return;
    }
    if (this.bodies.length !== live.length) this.make(live);
    frame.bodies.forEach((flesh, i) => this.bodies[i]!.show(flesh));
  }

  update(renderer: WebGLRenderer): void {
    for (const body of this.bodies) body.update(renderer);
  }

  /** Where a body's points are, one coordinate after the other. */
  places(body: number): number[] {
    const flesh = this.bodies[body]?.fleshNow;
    return flesh ? Array.from(flesh.positions, (c, i) => flesh.origin[i % 3]! + c) : [];
  }

  setVisible(visible: boolean): void {
    for (const { mesh } of this.bodies) mesh.visible = visible;
  }

  setTheme(token: (name: string) => string): void {
    this.colour = new Color(token(this.token) || '#6f9bd8');
    for (const { mesh } of this.bodies) mesh.material.color.copy(this.colour);
  }

  clear(): void {
    for (const body of this.bodies) {
      this.scene.remove(body.mesh);
      body.dispose();
    }
    this.bodies = [];
  }

  private make(live: readonly SoftBody[]): void {
    this.clear();
    this.bodies = live.map((body) => body.twin(this.colour, this.paint));
    for (const { mesh } of this.bodies) {
      Object.assign(mesh.material, { transparent: true, opacity: this.opacity, depthWrite: false, vertexColors: false, polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 4 }); // what has not moved stays the body's own
      mesh.castShadow = mesh.receiveShadow = false;
      mesh.layers.set(0);
      mesh.renderOrder = 3;
      this.scene.add(mesh);
    }
  }
}
