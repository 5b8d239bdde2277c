/**
 * The gizmo: shows what a gesture would do on this page at once, and sends one edit when it is confirmed. The stage is made
 * anew for a body that stands elsewhere; until it is, the page shows the body where it was put.
 */
import type { Session } from '../../client/session.svelte';
import type { Pane } from '../../stage/pane';
import { motionOf, type Placed } from '../../stage/placed';
import type { Pointer } from '../../workspace/left';
import type { Studio } from '../../workspace/studio.svelte';
import { Act, type Constraint, type Hold, type Mode } from './act';
import { putCommand, subjectOf, type Subject } from './subject';

/** Where time was when a body was taken hold of: it is put where it starts, so it is shown there. */
interface Time {
  frame: number;
  playing: boolean;
}

interface Going {
  act: Act;
  subject: Subject;
  frame: number;
  time: Time | null;
  /** Keys alone: the next click confirms, wherever it is. */
  modal: boolean;
}

const WORDS: Record<Mode, string> = { move: 'move', turn: 'turn', scale: 'scale' };

export class Gizmo {
  /** Rises with everything that changes the gesture. */
  revision = $state(0);
  going = $state.raw<Going | null>(null);
  /** Where the pointer was last, from the canvas's top left. */
  pointer: Pointer | null = null;
  /** The document when the last gesture was confirmed; what it put is shown until the stage has it. */
  private awaited: { path: string; revision: number } | null = null;

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
  ) {}

  get subject(): Subject | null {
    return this.going?.subject ?? subjectOf(this.session, this.studio);
  }

  /** Which handles are shown; none while another tool is chosen. */
  get handles(): Mode | null {
    const { tool } = this.studio;
    if (tool === 'scale') return this.subject?.placed.times ? 'scale' : null;
    return tool === 'move' ? 'move' : tool === 'turn' ? 'turn' : null;
  }

  /** Why nothing can be moved or turned now. */
  whyNot(mode: Mode): string | null {
    const { subject } = this;
    if (!subject) return 'Select a body, an obstacle, the camera or the light';
    if (mode === 'scale') return subject.placed.times ? null : 'Bodies and meshes are scaled; other obstacles have sizes in the inspector';
    return mode === 'turn' && !subject.turns ? subject.kind === 'light' ? 'Move the light to turn it' : 'The camera’s target has no turn' : null;
  }

  begin(mode: Mode, constraint: Constraint = { keep: 'free' }, at: { pane: Pane; pointer: Pointer } | null = null): void {
    const { subject } = this;
    const { viewport } = this.studio;
    if (!subject || !viewport || this.going || this.whyNot(mode)) return;
    const pane = at?.pane ?? viewport.pane;
    const eye = {
      ray: (x: number, y: number) => pane.ray(x, y),
      pixelOf: (point: Placed['at']) => pane.pixelOf(point),
      get forward() { return pane.orbit.forward; },
      metresPerPixel: (point: Placed['at']) => pane.metresPerPixel(point),
    };
    const act = new Act(mode, subject.placed, eye);
    act.constraint = constraint;
    const pointer = at?.pointer ?? this.pointer;
    if (pointer) act.reach(pointer, { shift: false, ctrl: false });
    this.awaited = null;
    this.going = { act, subject, frame: this.session.frame, time: subject.kind === 'body' ? this.goToStart() : null, modal: at === null };
    this.show();
  }

  reach(pointer: Pointer, { shift, ctrl }: Hold): void {
    this.pointer = pointer;
    if (!this.going) return;
    this.going.act.reach(pointer, { shift, ctrl: ctrl !== this.studio.snaps });
    this.show();
  }

  /** Whether the gesture took the key. */
  key(event: KeyboardEvent): boolean {
    const { going } = this;
    if (!going) return false;
    if (event.key === 'Escape') this.cancel();
    else if (event.key === 'Enter') this.confirm();
    else if (/^[grs]$/i.test(event.key)) this.change(/g/i.test(event.key) ? 'move' : /r/i.test(event.key) ? 'turn' : 'scale');
    else if (going.act.key(event.key, event.shiftKey)) this.show();
    return !['Shift', 'Control', 'Alt', 'Meta'].includes(event.key);
  }

  confirm(): void {
    const { going, session } = this;
    if (!going) return;
    const { act, subject, frame, time } = going;
    this.going = null;
    const name = subject.path.split('.').slice(1).join('.') || subject.path;
    const command = putCommand(session.document?.scene, subject, act.placed, frame, `${WORDS[act.mode]} ${name}`);
    this.revision += 1;
    if (!command) return this.giveBack(subject, time);
    this.awaited = { path: subject.path, revision: session.document?.revision ?? 0 };
    session.edit(command);
    if (time?.playing) session.send({ do: 'play' });
    else if (time && time.frame !== session.scene?.first_frame) session.send({ do: 'seek', frame: time.frame });
  }

  cancel(): void {
    const { going } = this;
    if (!going) return;
    this.going = null;
    this.revision += 1;
    this.giveBack(going.subject, going.time);
  }

  /** A frame came: the stage may have what was put by now. */
  settle(): void {
    const { awaited, session } = this;
    if (!awaited || !session.document) return;
    const { revision, building } = session.document;
    if (!session.refusal && (revision <= awaited.revision || building !== null)) return;
    this.awaited = null;
    this.studio.viewport?.place(awaited.path, null);
  }

  private change(mode: Mode): void {
    const { going } = this;
    if (!going || going.act.mode === mode || this.whyNot(mode)) return;
    const { frame, time, subject } = going;
    this.going = null;
    this.studio.viewport?.place(subject.path, null);
    this.begin(mode);
    const now = this.going as Going | null;
    if (now) this.going = { ...now, frame, time: time ?? now.time };
  }

  private show(): void {
    const { going } = this;
    if (!going) return;
    this.revision += 1;
    this.studio.viewport?.place(going.subject.path, motionOf(going.act.from, going.act.placed));
  }

  private giveBack(subject: Subject, time: Time | null): void {
    this.studio.viewport?.place(subject.path, null);
    if (!time) return;
    if (time.frame !== this.session.scene?.first_frame) this.session.send({ do: 'seek', frame: time.frame });
    if (time.playing) this.session.send({ do: 'play' });
  }

  private goToStart(): Time {
    const { session } = this;
    const time = { frame: session.frame, playing: session.transport?.playing ?? false };
    const first = session.transport?.recorded_from ?? session.scene?.first_frame ?? session.frame;
    if (time.playing) session.send({ do: 'pause' });
    if (session.frame !== first) session.send({ do: 'seek', frame: first });
    return time;
  }
}
