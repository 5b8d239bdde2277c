/**
 * Drags that form the chosen part of a key's shape: up and down squash and stretch it along the axis nearest to the view's upright and
 * keep its volume, sideways they size it evenly; or they turn or bend it about the line of sight.
 */
import type { Session } from '../client/session.svelte';
import type { ShapeEdit, ShapePart } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import type { Viewport } from '../stage/viewport';
import type { Held, LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import { AXES, type InHand, inKey, keyInHand, nearestAxis, partOf, sendEdit } from './sculpting';
import { keysOf } from './state.svelte';

export type Form = 'scale' | 'turn' | 'bend';

/** A drag of this many pixels doubles a size. */
const DOUBLES_PX = 240;
const DEG_PER_PX = 0.5;

export class KeyFormTool implements LeftTool {
  readonly doing: string;
  private hand: (InHand & { part: ShapePart; from: Pointer; moved: boolean }) | null = null;

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
    private readonly form: Form,
  ) {
    this.doing = `key-${form}`;
  }

  press(pointer: Pointer): void {
    const hand = keyInHand(this.session, this.studio);
    this.hand = hand && { ...hand, part: partOf(this.studio, this.viewport, hand.shown), from: pointer, moved: false };
  }

  move(pointer: Pointer, held: Held): void {
    const { hand } = this;
    if (!hand) return;
    const slow = held.shift ? 0.2 : 1;
    const [dx, dy] = [(pointer.x - hand.from.x) * slow, (hand.from.y - pointer.y) * slow];
    if (!hand.moved && Math.hypot(dx, dy) < 3) return;
    hand.moved = true;
    const { edit, words } = this.edit(hand, dx, dy, held.ctrl);
    sendEdit(this.session, hand, edit);
    keysOf(this.studio).held = { words, x: pointer.x, y: pointer.y };
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

  private edit({ shown, part }: InHand & { part: ShapePart }, dx: number, dy: number, snaps: boolean): { edit: ShapeEdit; words: string } {
    const { forward } = this.viewport.orbit;
    if (this.form === 'scale') {
      const tidy = (factor: number): number => (snaps ? Math.max(0.05, Math.round(factor * 20) / 20) : Number(factor.toPrecision(4)));
      const [even, along] = Math.abs(dx) > Math.abs(dy) ? [tidy(2 ** (dx / DOUBLES_PX)), 1] : [1, tidy(2 ** (dy / DOUBLES_PX))];
      const upright = nearestAxis(inKey(shown, [0, 1, 0]));
      const by = [0, 1, 2].map((axis) => Number((even * (axis === upright ? along : 1 / Math.sqrt(along))).toPrecision(6))) as Vec3;
      return { edit: { do: 'scale', part, by }, words: along === 1 ? `× ${even.toFixed(2)}` : `${'XYZ'[upright]!} × ${along.toFixed(2)}` };
    }
    const deg = snaps ? 5 * Math.round((DEG_PER_PX * dx) / 5) : Number((DEG_PER_PX * dx).toFixed(2));
    const about = inKey(shown, forward);
    const words = `${deg.toFixed(0)}°`;
    if (this.form === 'turn') return { edit: { do: 'turn', part, about, deg }, words };
    // Along what stands upright in the view; where that is the line of sight, along its side.
    const across = AXES[nearestAxis(about)]!;
    const upright = AXES[nearestAxis(inKey(shown, [0, 1, 0]))]!;
    const along = upright === across ? AXES[(AXES.indexOf(across) + 1) % 3]! : upright;
    return { edit: { do: 'bend', part, along, about: across, deg }, words };
  }
}
