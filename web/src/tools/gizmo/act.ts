/**
 * One gesture of moving, turning or scaling something, by a handle or by keys as in Blender: X, Y, Z keep to an axis, with Shift to
 * the plane across it; digits are the amount; Shift slows the hand, Ctrl snaps, arrows step. Knows views only as `Eye`.
 */
import { type Ray, type Vec3, add, dot, rayOnPlane, scale, sub } from '../../document/vector';
import { type Placed, turned } from '../../stage/placed';
import type { Pointer } from '../../workspace/left';

export type Mode = 'move' | 'turn' | 'scale';
export type Axis = 0 | 1 | 2;
export type Constraint = { keep: 'free' } | { keep: 'axis' | 'plane'; axis: Axis };

/** The view that the hand moves in. */
export interface Eye {
  ray(x: number, y: number): Ray;
  pixelOf(point: Vec3): Pointer;
  /** Where it looks. */
  readonly forward: Vec3;
  metresPerPixel(point: Vec3): number;
}

export interface Hold {
  shift: boolean;
  ctrl: boolean;
}

export const AXES: readonly Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
export const AXIS_NAMES = ['X', 'Y', 'Z'] as const;
const SNAP_DEG = 15;

export class Act {
  constraint: Constraint = { keep: 'free' };
  /** What was typed of an amount. */
  typed = '';
  /** What the arrows added: metres, or degrees. */
  private stepped = 0;
  private hold: Hold = { shift: false, ctrl: false };
  /** Where the hand would be if Shift had never slowed it. */
  private hand: Pointer | null = null;
  private start: Pointer | null = null;
  private last: Pointer | null = null;
  /** The hand's way around the pivot so far. */
  private sweptDeg = 0;

  constructor(
    readonly mode: Mode,
    readonly from: Placed,
    private readonly eye: Eye,
  ) {}

  /** The hand is here now; its first place is where the gesture starts. */
  reach(pointer: Pointer, hold: Hold): void {
    this.hold = hold;
    if (!this.last || !this.hand) {
      this.start = this.hand = this.last = pointer;
      return;
    }
    const slow = hold.shift ? 0.1 : 1;
    const next = { x: this.hand.x + slow * (pointer.x - this.last.x), y: this.hand.y + slow * (pointer.y - this.last.y) };
    if (this.mode === 'turn') this.sweptDeg += slow * this.sweep(this.last, pointer);
    this.hand = next;
    this.last = pointer;
  }

  /** Whether the key is this gesture's. Confirming and giving up are not its own to know. */
  key(key: string, shift: boolean): boolean {
    const axis = AXIS_NAMES.indexOf(key.toUpperCase() as 'X');
    if (axis >= 0) {
      const keep = shift && this.mode !== 'turn' ? 'plane' : 'axis';
      const again = this.constraint.keep === keep && this.constraint.axis === axis;
      this.constraint = again ? { keep: 'free' } : { keep, axis: axis as Axis };
      return true;
    }
    if (/^[0-9.]$/.test(key)) this.typed += key;
    else if (key === '-') this.typed = this.typed.startsWith('-') ? this.typed.slice(1) : `-${this.typed}`;
    else if (key === 'Backspace') this.typed = this.typed.slice(0, -1);
    else if (key === 'ArrowRight' || key === 'ArrowUp') this.stepped += this.stepOf(shift);
    else if (key === 'ArrowLeft' || key === 'ArrowDown') this.stepped -= this.stepOf(shift);
    else return false;
    return true;
  }

  /** Where the thing would be now. */
  get placed(): Placed {
    const { at, turnDeg, times = [1, 1, 1] } = this.from;
    if (this.mode === 'move') return { at: add(at, this.moved), turnDeg, times };
    if (this.mode === 'scale') return { at, turnDeg, times: times.map((size, i) => (this.isScaled(i as Axis) ? tidy(size * this.factor, 1e-4) : size)) as Vec3 };
    const { axis, deg } = this.turn;
    return { at, times, turnDeg: turned(turnDeg, axis, deg).map((angle) => tidy(angle, 1e-3)) as Vec3 };
  }

  /** The amount in words, for the tag beside the pointer. */
  get words(): string {
    const { constraint } = this;
    const of = constraint.keep === 'axis' ? `${AXIS_NAMES[constraint.axis]} ` : '';
    if (this.mode === 'scale') return `${of}×${this.typed || number(this.factor, 2)}`;
    const unit = this.mode === 'move' ? ' m' : '°';
    if (this.typed) return `${of || (this.mode === 'move' ? 'X ' : '')}${this.typed.replace('-', '−')}${unit}`;
    if (this.mode === 'turn') return `${of}${number(this.turn.deg, 1)}°`;
    const digits = Math.max(0, -Math.round(Math.log10(this.grain)));
    if (constraint.keep === 'axis') return `${of}${number(this.moved[constraint.axis], digits)} m`;
    return `${this.moved.map((c) => number(c, digits)).join('  ')} m`;
  }

  private get amount(): number | null {
    const typed = Number.parseFloat(this.typed);
    return Number.isFinite(typed) ? typed : this.stepped !== 0 ? this.stepped : null;
  }

  /** How many times as large: what was typed, or how much farther from the middle the hand is than where it began. */
  private get factor(): number {
    const { amount, hand, start, hold } = this;
    if (this.typed && amount !== null) return amount > 0 ? amount : 1;
    if (amount !== null) return Math.max(0.01, 1 + amount);
    if (!hand || !start) return 1;
    const middle = this.eye.pixelOf(this.from.at);
    const away = ({ x, y }: Pointer): number => Math.max(8, Math.hypot(x - middle.x, y - middle.y));
    const grain = hold.ctrl ? 0.1 : hold.shift ? 0.001 : 0.01;
    return Math.max(grain, Math.round(away(hand) / away(start) / grain) * grain);
  }

  private isScaled(axis: Axis): boolean {
    const { constraint } = this;
    return constraint.keep === 'free' || (constraint.keep === 'axis') === (constraint.axis === axis);
  }

  private get moved(): Vec3 {
    const { constraint, amount } = this;
    const along = constraint.keep === 'axis' ? constraint.axis : 0;
    if (amount !== null) return scale(AXES[along]!, amount);
    const raw = this.dragged();
    const grain = this.hold.ctrl ? 10 ** Math.ceil(Math.log10(12 * this.eye.metresPerPixel(this.from.at))) * (this.hold.shift ? 0.1 : 1) : this.grain;
    return raw.map((c, i) => {
      if (!this.isFree(i as Axis)) return 0;
      // Snapping puts it onto the grid; without, only the noise of the hand is rounded away.
      const at = this.from.at[i]!;
      return this.hold.ctrl ? tidy(Math.round((at + c) / grain) * grain - at, 1e-9) : tidy(c, grain);
    }) as Vec3;
  }

  private isFree(axis: Axis): boolean {
    const { constraint } = this;
    if (constraint.keep === 'free') return !this.isEdgeOn(axis);
    return constraint.keep === 'axis' ? constraint.axis === axis : constraint.axis !== axis;
  }

  /** An axis that runs straight into the picture cannot be meant by a free hand. */
  private isEdgeOn(axis: Axis): boolean {
    return Math.abs(dot(this.eye.forward, AXES[axis]!)) > 0.9995;
  }

  private dragged(): Vec3 {
    const { hand, start, eye, constraint, from } = this;
    if (!hand || !start) return [0, 0, 0];
    const [a, b] = [eye.ray(start.x, start.y), eye.ray(hand.x, hand.y)];
    if (constraint.keep === 'axis') {
      const axis = AXES[constraint.axis]!;
      const [from_, to] = [alongAxis(a, from.at, axis), alongAxis(b, from.at, axis)];
      return from_ === null || to === null ? [0, 0, 0] : scale(axis, to - from_);
    }
    const across = constraint.keep === 'plane' ? AXES[constraint.axis]! : eye.forward;
    // A plane seen from its edge gives no place.
    const normal = Math.abs(dot(across, eye.forward)) > 0.05 ? across : eye.forward;
    const [first, now] = [rayOnPlane(a, from.at, normal), rayOnPlane(b, from.at, normal)];
    return first && now ? sub(now, first) : [0, 0, 0];
  }

  private get turn(): { axis: Vec3; deg: number } {
    const { constraint, amount, eye } = this;
    const axis = constraint.keep === 'free' ? scale(eye.forward, -1) : AXES[constraint.axis]!;
    if (amount !== null) return { axis, deg: amount };
    // The hand goes round the picture; an axis that points away turns the other way.
    const sign = dot(axis, eye.forward) > 0 ? -1 : 1;
    const grain = this.hold.ctrl ? SNAP_DEG * (this.hold.shift ? 1 / 3 : 1) : this.hold.shift ? 0.1 : 0.5;
    return { axis, deg: tidy(Math.round((sign * this.sweptDeg) / grain) * grain, 1e-6) };
  }

  private sweep(a: Pointer, b: Pointer): number {
    const middle = this.eye.pixelOf(this.from.at);
    const angle = ({ x, y }: Pointer): number => Math.atan2(middle.y - y, x - middle.x);
    const by = ((angle(b) - angle(a)) * 180) / Math.PI;
    return by - 360 * Math.round(by / 360);
  }

  /** What a pixel of the hand is worth, as a power of ten. */
  private get grain(): number {
    return 10 ** Math.floor(Math.log10(this.eye.metresPerPixel(this.from.at))) * (this.hold.shift ? 0.1 : 1);
  }

  private stepOf(fine: boolean): number {
    const step = this.mode === 'scale' ? 0.1 : this.mode === 'turn' ? 5 : 10 ** Math.ceil(Math.log10(5 * this.eye.metresPerPixel(this.from.at)));
    return tidy(fine ? step / 10 : step, 1e-9);
  }
}

/** How far along an axis the ray comes nearest to it; none where they run alongside each other. */
function alongAxis({ origin, direction }: Ray, point: Vec3, axis: Vec3): number | null {
  const between = sub(origin, point);
  const cosine = dot(direction, axis);
  const sine2 = dot(direction, direction) - cosine * cosine;
  if (sine2 < 1e-4) return null;
  return (dot(between, axis) * dot(direction, direction) - dot(between, direction) * cosine) / sine2;
}

/** Rounded, without the dust that binary fractions leave. */
const tidy = (value: number, grain: number): number => Number((Math.round(value / grain) * grain).toPrecision(12)) || 0;
const number = (value: number, digits: number): string => `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(digits)}`;
