/**
 * The mouse on the dope sheet: the ruler scrubs, brackets set the played range, keys are chosen, boxed and dragged,
 * the middle button pans. One press is one of these until it is released.
 */
import type { Gesture } from '../client/gesture';
import { playFrom, playTo } from '../client/range';
import type { Session } from '../client/session.svelte';
import { keyId, readKeyId } from '../workspace/chosenKeys';
import type { Studio } from '../workspace/studio.svelte';
import type { DopeRow } from '../workspace/tracks';
import { keyKinds, moveKeys } from './timeKeys';
import type { TimeScale } from './timeScale';
import { RULER_PX } from './trackCanvas';

interface Place {
  x: number;
  y: number;
}

/** Half the size of what a click on a key may miss. */
const KEY_PX = 7;

export interface Sheet {
  rows: () => readonly DopeRow[];
  scale: () => TimeScale | null;
  rowPx: () => number;
  scrollPx: () => number;
}

export class SheetHand {
  box = $state.raw<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  /** Frames that the chosen keys are being moved by, on screen at once. */
  dragBy = $state(0);
  cursor = $state('default');
  private doing: 'nothing' | 'scrub' | 'in' | 'out' | 'keys' | 'box' | 'pan' = 'nothing';
  private from: Place = { x: 0, y: 0 };
  /** Time as it was when the ruler was pressed: Esc gives it back. */
  private was: { frame: number; range: [number, number] } = { frame: 1, range: [1, 1] };
  private wasPlaying = false;
  private gesture: Gesture | null = null;
  private scene: unknown = null;
  private before: ReadonlySet<string> = new Set();

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly sheet: Sheet,
  ) {}

  press(at: Place, event: PointerEvent): void {
    this.from = at;
    if (event.button === 1) this.doing = 'pan';
    if (event.button !== 0) return;
    if (at.y < RULER_PX) return this.pressRuler(at);
    const key = this.keyAt(at);
    if (key) return this.pressKey(key, event);
    this.before = event.shiftKey ? this.studio.chosenKeys : new Set();
    this.studio.chosenKeys = this.before;
    const row = this.rowAt(at.y);
    if (row?.path && !event.shiftKey) this.studio.select(row.path);
    this.doing = 'box';
  }

  move(at: Place, dx: number): void {
    const scale = this.sheet.scale();
    if (!scale) return;
    switch (this.doing) {
      case 'scrub':
        return this.seek(at);
      case 'in':
        return playFrom(this.session, scale.frameAt(at.x));
      case 'out':
        return playTo(this.session, scale.frameAt(at.x));
      case 'keys':
        return this.dragKeys(at);
      case 'box':
        return this.drawBox(at);
      case 'pan':
        return scale.pan(dx);
      case 'nothing':
        this.cursor = at.y < RULER_PX ? (this.bracketAt(at.x) ? 'ew-resize' : 'default') : this.keyAt(at) ? 'grab' : 'default';
    }
  }

  release(): void {
    if (this.doing === 'scrub' && this.wasPlaying) this.session.send({ do: 'play' });
    if (this.doing === 'keys') this.dropKeys();
    this.box = null;
    this.doing = 'nothing';
  }

  cancel(): void {
    this.gesture?.cancel();
    this.gesture = null;
    this.dragBy = 0;
    if (this.doing === 'box') this.studio.chosenKeys = this.before;
    if (this.doing === 'scrub') {
      this.session.send({ do: 'seek', frame: this.was.frame });
      if (this.wasPlaying) this.session.send({ do: 'play' });
    }
    if (this.doing === 'in' || this.doing === 'out') this.session.send({ do: 'range', first: this.was.range[0], last: this.was.range[1] });
    this.box = null;
    this.doing = 'nothing';
  }

  private pressRuler(at: Place): void {
    const bracket = this.bracketAt(at.x);
    this.was = { frame: this.session.frame, range: this.session.transport?.range ?? [1, 1] };
    if (bracket) {
      this.doing = bracket;
      return;
    }
    this.doing = 'scrub';
    this.wasPlaying = this.session.transport?.playing ?? false;
    if (this.wasPlaying) this.session.send({ do: 'pause' });
    this.seek(at);
  }

  /** The ends of the played range, where the playhead is not in front of them. */
  private bracketAt(x: number): 'in' | 'out' | null {
    const { scale, range } = { scale: this.sheet.scale(), range: this.session.transport?.range };
    if (!scale || !range || Math.abs(scale.x(this.session.frame) - x) < 12) return null;
    if (Math.abs(scale.x(range[0]) - x) < 5) return 'in';
    return Math.abs(scale.x(range[1]) - x) < 5 ? 'out' : null;
  }

  private seek(at: Place): void {
    const frame = this.sheet.scale()?.frameAt(at.x);
    if (frame !== undefined && frame !== this.session.frame) this.session.send({ do: 'seek', frame });
  }

  private pressKey(ids: string[], event: PointerEvent): void {
    const { chosenKeys } = this.studio;
    const all = ids.every((id) => chosenKeys.has(id));
    if (event.shiftKey) {
      const next = new Set(chosenKeys);
      for (const id of ids) if (all) next.delete(id); else next.add(id);
      this.studio.chosenKeys = next;
    } else {
      // Of several the one that is pressed is worked on: it is the last.
      this.studio.chosenKeys = new Set([...(all ? [...chosenKeys].filter((id) => !ids.includes(id)) : []), ...ids]);
    }
    const { path } = readKeyId(ids[0]!);
    const kind = keyKinds(this.studio).find((each) => each.owns(path));
    if (kind) kind.select(this.studio, path);
    else this.studio.curvePath = path;
    this.scene = this.session.document?.scene;
    this.doing = 'keys';
  }

  private dragKeys(at: Place): void {
    const scale = this.sheet.scale();
    if (!scale || Math.abs(at.x - this.from.x) <= 3 && this.dragBy === 0) return;
    const by = Math.round(scale.frame(at.x) - scale.frame(this.from.x));
    if (by === this.dragBy) return;
    const command = moveKeys(this.scene as never, this.studio.chosenKeys, by, keyKinds(this.studio));
    if (by !== 0 && !command) return; // it would land on another key: stay where it was
    this.dragBy = by;
    this.gesture ??= this.session.gesture('move keys');
    this.gesture.preview(command ?? { do: 'batch', label: 'move keys', commands: [] });
  }

  private dropKeys(): void {
    if (this.dragBy !== 0) {
      this.studio.chosenKeys = new Set([...this.studio.chosenKeys].map((id) => {
        const { path, at } = readKeyId(id);
        return keyId(path, at + this.dragBy);
      }));
    }
    this.dragBy = 0;
    this.gesture?.commit();
    this.gesture = null;
  }

  private drawBox(at: Place): void {
    if (!this.box && Math.hypot(at.x - this.from.x, at.y - this.from.y) <= 3) return;
    this.box = { x0: this.from.x, y0: this.from.y, x1: at.x, y1: at.y };
    const scale = this.sheet.scale();
    if (!scale) return;
    const [left, right] = [Math.min(this.from.x, at.x), Math.max(this.from.x, at.x)];
    const [top, foot] = [Math.min(this.from.y, at.y), Math.max(this.from.y, at.y)];
    const inside = new Set(this.before);
    this.sheet.rows().forEach((row, i) => {
      if (row.track.kind !== 'keys' && row.track.kind !== 'events') return;
      const y = RULER_PX + (i + 0.5) * this.sheet.rowPx() - this.sheet.scrollPx();
      if (y < top || y > foot) return;
      const { track } = row;
      const keys = track.kind === 'keys' ? track.keys.map(({ at }) => ({ path: track.path, at })) : track.clips;
      for (const { path, at } of keys) {
        const x = scale.x(at);
        if (x >= left && x <= right) inside.add(keyId(path, at));
      }
    });
    this.studio.chosenKeys = inside;
  }

  private rowAt(y: number): DopeRow | undefined {
    return this.sheet.rows()[Math.floor((y - RULER_PX + this.sheet.scrollPx()) / this.sheet.rowPx())];
  }

  /** The key under the pointer; on a summary row, all keys of that frame below it. */
  private keyAt(at: Place): string[] | null {
    const scale = this.sheet.scale();
    const row = at.y >= RULER_PX ? this.rowAt(at.y) : undefined;
    if (!scale || !row) return null;
    const near = (frame: number): boolean => Math.abs(scale.x(frame) - at.x) <= KEY_PX;
    const { track } = row;
    if (track.kind === 'keys') {
      const key = track.keys.find((each) => near(each.at));
      return key ? [keyId(track.path, key.at)] : null;
    }
    if (track.kind === 'events') {
      const clip = track.clips.findLast((each) => at.x >= scale.x(each.at) - KEY_PX && at.x <= Math.max(scale.x(each.end), scale.x(each.at) + KEY_PX));
      return clip ? [keyId(clip.path, clip.at)] : null;
    }
    if (track.kind !== 'summary') return null;
    const frame = track.frames.find(near);
    if (frame === undefined) return null;
    return this.sheet.rows().flatMap((each) =>
      each.path === row.path && each.track.kind === 'keys' && each.track.keys.some((key) => key.at === frame) ? [keyId(each.track.path, frame)] : [],
    );
  }
}
