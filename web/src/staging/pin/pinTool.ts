import { Vector3 } from 'three';
import type { Session } from '../../client/session.svelte';
import type { Pane } from '../../stage/pane';
import type { Viewport } from '../../stage/viewport';
import type { Held, LeftTool, Pointer } from '../../workspace/left';
import type { Studio } from '../../workspace/studio.svelte';
import { DepthBuffer } from './depth';
import { type PinMode, fleshUnder, pinCommand } from './pins';
import { type Region, contains } from './region';
import { PinState } from './state.svelte';

/** How far behind the nearest surface a vertex may lie and still be seen, as a share of the body's size. */
const SLACK = 0.01;

/** Draws a region of the view and pins the flesh under the skin that is seen in it. */
export class PinTool implements LeftTool {
  readonly doing = 'pin';
  private mode: PinMode = 'new';

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
    private readonly kind: Region['kind'],
  ) {}

  press(pointer: Pointer, held: Held): void {
    this.mode = held.ctrl ? 'take' : held.shift ? 'add' : 'new';
    const at = { x: pointer.x, y: pointer.y };
    const pin = this.studio.own(PinState);
    pin.said = null;
    pin.region =
      this.kind === 'box' ? { kind: 'box', from: at, to: at }
        : this.kind === 'lasso' ? { kind: 'lasso', points: [at] }
          : { kind: 'brush', points: [at], radiusPx: this.studio.brush.sizePx };
  }

  move(pointer: Pointer): void {
    const pin = this.studio.own(PinState);
    const at = { x: pointer.x, y: pointer.y };
    pin.hover = at;
    const { region } = pin;
    if (!region) return;
    pin.region = region.kind === 'box' ? { ...region, to: at } : { ...region, points: [...region.points, at] };
  }

  hover(pointer: Pointer | null): void {
    this.studio.own(PinState).hover = this.kind === 'brush' && pointer ? { x: pointer.x, y: pointer.y } : null;
  }

  release(): void {
    const pin = this.studio.own(PinState);
    const { region } = pin;
    pin.region = null;
    if (region) this.pin(region);
  }

  cancel(): void {
    this.studio.own(PinState).region = null;
  }

  private pin(region: Region): void {
    const found = this.seenIn(region);
    const chosen = found.get(this.studio.body)?.length ? this.studio.body : [...found].sort((a, b) => b[1].length - a[1].length)[0]?.[0];
    const body = chosen === undefined ? undefined : this.viewport.body(chosen);
    const path = chosen === undefined ? undefined : this.session.scene?.bodies[chosen]?.path;
    if (chosen === undefined || !body || !path || !found.get(chosen)?.length) {
      this.studio.own(PinState).said = 'Nothing that is seen lies there';
      return;
    }
    const points = [...fleshUnder(body.model, found.get(chosen)!)].map((point) => body.model.numbers[point]!);
    const made = pinCommand(this.session.document?.scene, path, this.studio.selection, points, this.mode);
    if (!made) {
      this.studio.own(PinState).said = 'Select a pin first, to take points away';
      return;
    }
    this.session.edit(made.command);
    this.studio.select(made.select);
    this.studio.own(PinState).said = `${points.length} ${points.length === 1 ? 'point' : 'points'} ${this.mode === 'take' ? 'let go' : 'pinned'}`;
  }

  /** The skin vertices of each body that lie in the region and are not hidden. */
  private seenIn(region: Region): Map<number, number[]> {
    const { pane } = this.viewport;
    const { box } = pane;
    const depth = new DepthBuffer(box.left + box.width, box.top + box.height);
    const all: { body: number; places: Float32Array; slackM: number }[] = [];
    for (let index = 0; index < this.viewport.bodyCount; index++) {
      const body = this.viewport.body(index)!;
      const origin = body.fleshNow?.origin;
      if (!origin) continue;
      const places = project(pane, body.picker.skinNow(), origin);
      depth.draw({ places, triangles: body.model.triangles });
      all.push({ body: index, places, slackM: SLACK * body.bounds().radiusM });
    }
    const found = new Map<number, number[]>();
    for (const { body, places, slackM } of all) {
      const seen: number[] = [];
      for (let vertex = 0; 3 * vertex < places.length; vertex++) {
        const [x, y, z] = [places[3 * vertex]!, places[3 * vertex + 1]!, places[3 * vertex + 2]!];
        if (contains(region, { x, y }) && depth.sees(x, y, z, slackM)) seen.push(vertex);
      }
      if (seen.length > 0) found.set(body, seen);
    }
    return found;
  }
}

/** Pixels and depth of every vertex. */
function project(pane: Pane, skin: Float32Array, origin: readonly [number, number, number]): Float32Array {
  const camera = pane.aim();
  const { box, orbit } = pane;
  const { eye, forward } = orbit;
  // A parallel view sees what lies behind its eye, too.
  const behindM = orbit.flat ? 20 * orbit.distanceM : 0;
  const places = new Float32Array(skin.length);
  const at = new Vector3();
  for (let i = 0; i < skin.length; i += 3) {
    const [x, y, z] = [skin[i]! + origin[0], skin[i + 1]! + origin[1], skin[i + 2]! + origin[2]];
    at.set(x, y, z).project(camera);
    places[i] = box.left + ((at.x + 1) / 2) * box.width;
    places[i + 1] = box.top + ((1 - at.y) / 2) * box.height;
    places[i + 2] = behindM + (x - eye[0]) * forward[0] + (y - eye[1]) * forward[1] + (z - eye[2]) * forward[2];
  }
  return places;
}
