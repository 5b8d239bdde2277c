/**
 * Grabs the selected body in a take, where time is, and drags a place of it: frames near that one follow. The take is the one that is shown instead of
 * the live bodies, or the one that is edited already.
 */
import type { Session } from '../client/session.svelte';
import { type Vec3, rayOnPlane, sub } from '../document/vector';
import type { Viewport } from '../stage/viewport';
import type { Held, LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import { chooseAlone, shownOf } from './chosen';
import { KeyShow } from './keyShow';
import { shapeKeysOf, takeTrackOf, takeTrackPath } from './read';
import { reachM } from './sculpting';
import { keysOf } from './state.svelte';

export class TakeGrabTool implements LeftTool {
  readonly doing = 'take-grab';
  private hand: { body: number; track: string; name: string; frame: number; at: Vec3; atRest: Vec3; moved: boolean } | null = null;

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
  ) {}

  press(pointer: Pointer): void {
    const { session, studio, viewport } = this;
    this.hand = null;
    if (session.transport?.playing) session.send({ do: 'pause' });
    const scene = session.document?.scene;
    const { bodyPath, body } = studio;
    if (bodyPath === null) return;
    if (!takeTrackOf(scene, bodyPath) && !(session.takes.shown !== null && session.takes.instead)) {
      session.refused = 'Show a take instead of the live bodies first (Takes); keep the run as one if there is none.';
      return;
    }
    const { path, name } = takeTrackPath(scene, bodyPath);
    const frame = Math.round(session.frame);
    // An edit of this frame is seen as its ghost.
    const known = shapeKeysOf(scene, bodyPath).find((key) => key.track === path && key.frame === frame);
    const ghost = known && shownOf(studio, known);
    const picker = (ghost ? viewport.drawing(KeyShow).bodyOf(ghost) : undefined) ?? viewport.body(body);
    const hit = picker?.picker.hit(viewport.rayThrough(pointer.x, pointer.y));
    if (hit) this.hand = { body, track: path, name, frame, at: hit.at, atRest: hit.atRest, moved: false };
  }

  move(pointer: Pointer, held: Held): void {
    const { hand, viewport, studio, session } = this;
    const to = hand && rayOnPlane(viewport.rayThrough(pointer.x, pointer.y), hand.at, viewport.orbit.forward);
    if (!hand || !to) return;
    hand.moved = true;
    const by = sub(to, hand.at);
    const edit = { do: keysOf(studio).elastic !== held.ctrl ? 'pull' as const : 'nudge' as const, at: hand.atRest, by, radius: reachM(studio, viewport, hand.body) };
    session.send({ do: 'sculpt', body: hand.body, director: hand.name, frame: hand.frame, edit, width: keysOf(studio).width });
    keysOf(studio).held = { words: `${(100 * Math.hypot(...by)).toFixed(1)} cm, ± ${keysOf(studio).width} frames`, x: pointer.x, y: pointer.y };
  }

  release(): void {
    const { hand, session, studio } = this;
    this.end(true);
    if (!hand?.moved) return;
    keysOf(studio).onion = true;
    chooseAlone(studio, hand);
    // What comes of it is the live run's; the take stays beside it as a ghost.
    if (session.takes.shown !== null && session.takes.instead) session.showTake(session.takes.shown, false);
  }

  cancel(): void {
    this.end(false);
  }

  private end(keep: boolean): void {
    if (this.hand?.moved) this.session.send({ do: 'sculpt_end', keep });
    this.hand = null;
    keysOf(this.studio).held = null;
  }
}
