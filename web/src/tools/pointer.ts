/**
 * The viewport's mouse: left uses the tool, middle (or Alt+left) orbits, with Shift pans, right pans, the wheel zooms.
 * Listens on the canvas and turns events into calls; what they mean is in `orbit.ts` and the tools.
 */
import type { Orbit, View } from '../stage/orbit';
import type { Pane } from '../stage/pane';
import type { Held, LeftTool, Pointer } from '../workspace/left';

export interface Stage {
  readonly orbit: Orbit;
  readonly view: View;
  /** The view that was used last. */
  readonly pane: Pick<Pane, 'zoomAt'>;
  /** The view under the pointer is the one that moves. */
  activate(x: number, y: number): void;
  draw(): void;
}

type Doing = 'nothing' | 'tool' | 'orbit' | 'pan';

export class PointerTool {
  private doing: Doing = 'nothing';
  /** The tool that was pressed keeps the button until it is released. */
  private using: LeftTool | null = null;
  private last: Pointer = { x: 0, y: 0 };
  private readonly abort = new AbortController();

  constructor(
    private readonly canvas: HTMLElement,
    private readonly stage: Stage,
    private readonly tool: () => LeftTool,
  ) {
    const { signal } = this.abort;
    canvas.addEventListener('pointerdown', (event) => this.press(event), { signal });
    canvas.addEventListener('mousedown', (event) => leaveFocus(event), { signal });
    canvas.addEventListener('pointermove', (event) => this.move(event), { signal });
    canvas.addEventListener('pointerup', () => this.release(), { signal });
    canvas.addEventListener('pointercancel', () => this.cancel(), { signal });
    canvas.addEventListener('pointerleave', (event) => this.tool().hover?.(null, held(event)), { signal });
    canvas.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  }

  /** Gives up what is being done. */
  cancel(): void {
    this.using?.cancel();
    this.using = null;
    this.setDoing('nothing');
  }

  dispose(): void {
    this.cancel();
    this.abort.abort();
  }

  private press(event: PointerEvent): void {
    if (this.doing !== 'nothing') return;
    this.canvas.setPointerCapture(event.pointerId);
    this.last = this.at(event);
    this.stage.activate(this.last.x, this.last.y);
    const starts = meaning(event);
    if (starts === 'tool') {
      this.using = this.tool();
      this.using.press(this.last, held(event));
    } else {
      // A press that is prevented sends no mousedown, which leaves the focus otherwise.
      event.preventDefault();
      leaveFocus(event);
    }
    this.setDoing(starts);
  }

  private move(event: PointerEvent): void {
    const now = this.at(event);
    const [dx, dy] = [now.x - this.last.x, now.y - this.last.y];
    this.last = now;
    if (this.doing === 'tool') this.using?.move(now, held(event));
    if (this.doing === 'nothing') this.tool().hover?.(now, held(event));
    if (this.doing === 'orbit') this.stage.orbit.turn(dx, dy);
    if (this.doing === 'pan') this.stage.orbit.pan(dx, dy, this.stage.view);
    if (this.doing === 'orbit' || this.doing === 'pan') this.stage.draw();
  }

  private release(): void {
    this.using?.release();
    this.using = null;
    this.setDoing('nothing');
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const at = this.at(event);
    this.stage.activate(at.x, at.y);
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 33 : event.deltaY;
    this.stage.pane.zoomAt(Math.max(-3, Math.min(3, pixels / 100)), at);
    this.stage.draw();
  }

  private setDoing(doing: Doing): void {
    this.doing = doing;
    this.canvas.dataset.doing = doing === 'tool' ? (this.using?.doing ?? 'tool') : doing;
  }

  private at(event: MouseEvent): Pointer {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

const held = (event: MouseEvent): Held => ({ ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey });

/** The mouse takes the keyboard away from controls without drawing a focus ring around the stage; Tab draws it. */
function leaveFocus(event: MouseEvent): void {
  event.preventDefault();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** What a press starts. */
export function meaning(event: { button: number; altKey: boolean; shiftKey: boolean }): Doing {
  const left = event.button === 0;
  const middle = event.button === 1;
  if (event.button === 2) return 'pan';
  if (middle || (left && event.altKey)) return event.shiftKey ? 'pan' : 'orbit';
  return left ? 'tool' : 'nothing';
}
