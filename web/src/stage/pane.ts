/** One view of the stage: its part of the canvas, where it looks from, and its camera. Views share one renderer. */
import { type Camera, OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';
import type { Ray, Vec3 } from '../document/vector';
import type { LookWord } from '../client/wire';
import { Orbit, type View } from './orbit';
import type { Shade } from './softBody';

export type ViewKind = 'perspective' | 'front' | 'side' | 'top';
export const VIEW_KINDS: readonly ViewKind[] = ['perspective', 'front', 'side', 'top'];

export interface PaneBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What a view shows of bodies: skin, flesh, wires, and the look they are coloured by. */
export interface PaneLook {
  shade: Shade;
  look: LookWord | null;
}

export class Pane {
  readonly orbit = new Orbit();
  shows: PaneLook = { shade: 'skin', look: null };
  box: PaneBox = { left: 0, top: 0, width: 1, height: 1 };
  private readonly perspective = new PerspectiveCamera();
  private readonly parallel = new OrthographicCamera();
  private own: ViewKind = 'perspective';

  constructor(kind: ViewKind) {
    this.look(kind);
  }

  get kind(): ViewKind {
    return this.own;
  }

  get view(): View {
    return { widthPx: Math.max(1, this.box.width), heightPx: Math.max(1, this.box.height) };
  }

  /** Looks from the front, from the side, from above, or freely. */
  look(kind: ViewKind): void {
    this.own = kind;
    this.orbit.flat = kind !== 'perspective';
    if (kind === 'front') this.orbit.lookAlong(2, 1);
    if (kind === 'side') this.orbit.lookAlong(0, 1);
    if (kind === 'top') this.orbit.lookAlong(1, 1);
  }

  /** Zooms towards or away from what is seen at a pixel of the canvas. */
  zoomAt(notches: number, { x, y }: { x: number; y: number }): void {
    this.orbit.zoom(notches, { xPx: x - this.box.left, yPx: y - this.box.top, view: this.view });
  }

  holds(x: number, y: number): boolean {
    const { left, top, width, height } = this.box;
    return x >= left && x < left + width && y >= top && y < top + height;
  }

  /** Through a pixel of the canvas. */
  ray(x: number, y: number): Ray {
    return this.orbit.ray(x - this.box.left, y - this.box.top, this.view);
  }

  /** The camera as it stands now. */
  aim(): Camera {
    const { orbit, view } = this;
    const camera = orbit.flat ? this.parallel : this.perspective;
    const aspect = view.widthPx / view.heightPx;
    if (orbit.flat) {
      const half = orbit.halfHeightM;
      Object.assign(this.parallel, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
      Object.assign(this.parallel, { near: -orbit.distanceM * 20, far: orbit.distanceM * 30 });
      this.parallel.updateProjectionMatrix();
    } else {
      Object.assign(this.perspective, { fov: orbit.fovDeg, aspect, near: orbit.distanceM * 0.02, far: orbit.distanceM * 60 });
      this.perspective.updateProjectionMatrix();
    }
    camera.position.set(...orbit.eye);
    camera.lookAt(...orbit.target);
    camera.updateMatrixWorld();
    return camera;
  }

  /** Pixels from the canvas's top left. */
  pixelOf(point: Vec3): { x: number; y: number } {
    const at = new Vector3(...point).project(this.aim());
    return {
      x: this.box.left + ((at.x + 1) / 2) * this.box.width,
      y: this.box.top + ((1 - at.y) / 2) * this.box.height,
    };
  }

  /** Metres that a pixel spans at a place. */
  metresPerPixel(point: Vec3): number {
    const { orbit, view } = this;
    if (orbit.flat) return (2 * orbit.halfHeightM) / view.heightPx;
    const [eye, forward] = [orbit.eye, orbit.forward];
    const depth = (point[0] - eye[0]) * forward[0] + (point[1] - eye[1]) * forward[1] + (point[2] - eye[2]) * forward[2];
    return (2 * Math.max(depth, 1e-6) * orbit.halfHeightM) / orbit.distanceM / view.heightPx;
  }
}

/** Where 1, 2 or 4 panes lie on a canvas, with a hair between them. */
export function layOut(count: number, width: number, height: number): PaneBox[] {
  const gap = 1;
  const [halfWidth, halfHeight] = [Math.floor((width - gap) / 2), Math.floor((height - gap) / 2)];
  if (count === 1) return [{ left: 0, top: 0, width, height }];
  const right = { left: halfWidth + gap, width: width - halfWidth - gap };
  if (count === 2) return [{ left: 0, top: 0, width: halfWidth, height }, { ...right, top: 0, height }];
  const low = { top: halfHeight + gap, height: height - halfHeight - gap };
  return [
    { left: 0, top: 0, width: halfWidth, height: halfHeight },
    { ...right, top: 0, height: halfHeight },
    { left: 0, width: halfWidth, ...low },
    { ...right, ...low },
  ];
}
