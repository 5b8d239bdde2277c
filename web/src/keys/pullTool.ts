/** Drags a place of the chosen key's shape; flesh around it follows. Ctrl: by its distance alone. */
import type { Session } from '../client/session.svelte';
import { type Vec3, rayOnPlane, sub } from '../document/vector';
import type { Viewport } from '../stage/viewport';
import type { Held, LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import { KeyShow } from './keyShow';
import { type InHand, inKey, keyInHand, reachM, sendEdit } from './sculpting';
import { keysOf } from './state.svelte';

export class KeyPullTool implements LeftTool {
  readonly doing = 'key-pull';
  private hand: (InHand & { at: Vec3; atRest: Vec3; moved: boolean }) | null = null;

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
  ) {}

  press(pointer: Pointer): void {
    const hand = keyInHand(this.session, this.studio);
    const body = hand && this.viewport.drawing(KeyShow).bodyOf(hand.shown);
    const hit = body?.picker.hit(this.viewport.rayThrough(pointer.x, pointer.y));
    this.hand = hand && hit ? { ...hand, at: hit.at, atRest: hit.atRest, moved: false } : null;
  }

  move(pointer: Pointer, held: Held): void {
    const { hand, viewport, studio } = this;
    if (!hand) return;
    const to = rayOnPlane(viewport.rayThrough(pointer.x, pointer.y), hand.at, viewport.orbit.forward);
    if (!to) return;
    hand.moved = true;
    const by = inKey(hand.shown, sub(to, hand.at));
    const radius = reachM(studio, viewport, hand.shown.body);
    sendEdit(this.session, hand, { do: keysOf(studio).elastic !== held.ctrl ? 'pull' : 'nudge', at: hand.atRest, by, radius });
    keysOf(studio).held = { words: `${(100 * Math.hypot(...by)).toFixed(1)} cm`, x: pointer.x, y: pointer.y };
  }

  release(): void {
    this.end(true);
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
