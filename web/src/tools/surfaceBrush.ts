/** What tools share that work on the skin of a body: where the pointer is on it, and the ring that shows it. */
import type { Session } from '../client/session.svelte';
import type { Vec3 } from '../document/vector';
import type { StageHit, Viewport } from '../stage/viewport';
import type { Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';

export class SurfaceBrush {
  /** Tools that its ring is shown for. */
  protected readonly tools: readonly string[] = ['touch'];

  constructor(
    readonly session: Session,
    readonly studio: Studio,
    readonly viewport: Viewport,
  ) {}

  /** The place under the pointer, on the selected body. */
  hit(pointer: Pointer): StageHit | null {
    const hit = this.viewport.hitAt(pointer.x, pointer.y);
    return hit && this.isSelected(hit.body) ? hit : null;
  }

  /** The brush's radius at a place. */
  radiusAt(at: Vec3): number {
    return this.viewport.pane.metresPerPixel(at) * this.studio.brush.sizePx;
  }

  hover = (pointer: Pointer | null): void => {
    const { brush } = this.studio;
    if (!pointer) {
      brush.ring = null;
      return;
    }
    this.viewport.activate(pointer.x, pointer.y);
    const hit = this.hit(pointer);
    const words = (): string => this.words();
    if (!hit) {
      brush.ring = { tools: this.tools, at: [0, 0, 0], normal: [0, 0, 1], radiusM: 0, softM: 0, onBody: false, ...pointer, words };
      return;
    }
    const { forward } = this.viewport.orbit;
    const normal: Vec3 = hit.on === 'skin' ? hit.normal : [-forward[0], -forward[1], -forward[2]];
    brush.ring = { tools: this.tools, at: hit.at, normal, radiusM: this.ringM(hit.at), softM: this.softM(), onBody: true, ...pointer, words };
  };

  /** Copies of a body count as it. */
  protected isSelected(body: number): boolean {
    const { scene, selected } = this.session;
    return scene?.bodies[body]?.path === scene?.bodies[selected]?.path;
  }

  /** How large the ring is at a place. */
  protected ringM(at: Vec3): number {
    return this.radiusAt(at);
  }

  /** How far what it does fades beyond the ring. */
  protected softM(): number {
    return 0;
  }

  /** What stands beside the ring. */
  protected words(): string {
    return 'Touch';
  }
}
