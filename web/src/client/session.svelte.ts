/**
 * What the page knows of the running show and its document. Panels read its state; the viewport gets models, frames,
 * fields and sections directly, because sixty pictures a second are no business of a panel.
 */
import type {
  AddedPart, Command, DocumentInfo, Event, ExportFormat, ExportOptions, Gallery, Hit, JobInfo, Json, MeasureInfo, Plane, RenderFormat, RenderOptions,
  SceneCommand, SceneInfo, SectionStroke, Takes, Transport,
} from '../document/generated/protocol';
import { WIRE_VERSION } from '../document/generated/protocol';
import { History } from '../document/history';
import { SLOW_FRAMES, SLOW_MS } from '../document/slowness';
import { Measured } from './measured.svelte';
import type { Ray } from '../document/vector';
import { Connection, type LinkState, type Socket } from './connection';
import { type Gesture, openGesture } from './gesture';
import type { Field, Frame, LookWord, Message, Model, Section } from './wire';

/** Where models and frames go. */
export interface Screen {
  open(scene: SceneInfo): void;
  addModel(model: Model): void;
  show(frame: Frame): void;
  /** Runs something once what was shown last is drawn. */
  afterDraw?(run: () => void): void;
  showField?(field: Field): void;
  showSection?(section: Section): void;
  /** The shown take's frame, to be drawn as a ghost; none when no take is shown any more. */
  showTake?(frame: Frame | null): void;
}

/** Why something was not done. */
export interface Refusal {
  what: string;
  help: string | null;
  /** The place in the scene it is about. */
  path: string | null;
}

/** What would be overwritten, and the command that does it all the same. */
export interface Overwrite {
  files: string[];
  again: Command;
}

/** What makes time stand. */
const PAUSES = new Set<Command['do']>(['pause', 'step_forward', 'step_back']);

export class Session {
  link = $state<LinkState>('connecting');
  scene = $state.raw<SceneInfo | null>(null);
  transport = $state.raw<Transport | null>(null);
  document = $state.raw<DocumentInfo | null>(null);
  gallery = $state.raw<Gallery>({ scenes: [], files: [] });
  /** Running jobs and those that ended, newest last, until they are put away. */
  jobs = $state.raw<JobInfo[]>([]);
  takes = $state.raw<Takes>({ names: [], shown: null, instead: false });
  /** The frame of the last picture and what simulating it took. */
  pictured = $state(0);
  /** Whether what is on stage is the document's scene; until its own stage is made, nothing on stage counts. */
  readonly staged = $derived(this.document?.staged !== false);
  /** Whether the playhead is where nothing is simulated, and the nearest frame shows. */
  readonly greyed = $derived(this.transport !== null && this.transport.frame !== this.transport.shown && !this.transport.of_take);
  /** Where time is: the frame on screen, or where the playhead is beyond what is simulated. */
  readonly frame = $derived(this.greyed ? this.transport!.frame : this.pictured);
  /** What was measured at the frame on screen. While time runs the stage may be further than its picture. */
  get measures(): readonly MeasureInfo[] | undefined {
    const { transport, pictured } = this;
    return (transport?.playing && transport.shown !== pictured && this.measured.listAt(pictured)) || transport?.measures;
  }
  /** Rises with every model that the screen has been given. */
  modelsSeen = $state(0);
  stepMs = $state(0);
  /** What a frame takes, while several in a row took too long to be worked with; else 0. */
  slowMs = $state(0);
  heightsM = $state.raw<number[]>([]);
  historyRevision = $state(0);
  selected = $state(0);
  refused = $state<string | null>(null);
  refusal = $state.raw<Refusal | null>(null);
  /** A question to the user: files are there already. */
  overwrite = $state.raw<Overwrite | null>(null);
  /** What this page added to the scene last, until it is seen. */
  added = $state.raw<AddedPart | null>(null);
  /** Whether this page holds a body. */
  holding = $state(false);
  readonly history = new History();
  /** What directors measured, by frame. */
  readonly measured = new Measured();
  /** What a director says that its measures depend on: those of another text are old. Told by who knows its kind. */
  directorText: (scene: Json | undefined, body: string, director: string) => string | null = () => null;
  private screen: Screen | null = null;
  private readonly openers = new Set<() => void>();
  private readonly listeners = new Map<Message['kind'], Set<(message: Message) => void>>();
  private readonly connection: Connection;
  /** Pause was asked for, and the server has not said yet that time stands. */
  private pausing = false;
  /** The last frame whose time was looked at, and how many in a row took long. */
  private timed: number | null = null;
  private slowFrames = 0;
  /** Jobs of meshes that this page sent. */
  private readonly brought = new Set<number>();
  /** The first frame that the run's numbers were asked from. */
  private asked: number | null = null;
  /** The recorded frames for which the numbers of those that playing skipped were asked. */
  private askedGaps = '';
  /** Whether a cut is to be seen. */
  private cutting = false;
  private nextPick = 1;
  private readonly picks = new Map<number, (hit: Hit | null) => void>();
  private nextSync = 1;
  private readonly syncs = new Map<number, () => void>();

  constructor(open: () => Socket) {
    this.connection = new Connection(
      { open },
      {
        link: (state, why) => this.setLink(state, why),
        event: (event) => this.hear(event),
        message: (message) => this.receive(message),
        unreadable: (reason) => this.refuse(`The server sent something this page cannot read: ${reason}.`),
      },
    );
  }

  start(screen: Screen): void {
    this.screen = screen;
    this.connection.connect();
  }

  /** Hears messages of a kind that the stage has no use for, until the returned function is called. */
  listen<K extends Message['kind']>(kind: K, hear: (message: Extract<Message, { kind: K }>) => void): () => void {
    const all = this.listeners.get(kind) ?? new Set();
    this.listeners.set(kind, all);
    // Only messages of this kind come here.
    const listener = hear as (message: Message) => void;
    all.add(listener);
    return () => void all.delete(listener);
  }

  /** Called when another scene, or the same one anew, comes on stage, until the returned function is. */
  onOpen(tell: () => void): () => void {
    this.openers.add(tell);
    return () => void this.openers.delete(tell);
  }

  /** Pausing shows at once, however far behind the page or the stage is. */
  send(command: Command): void {
    if (!this.connection.send(command)) return;
    if (PAUSES.has(command.do)) {
      this.pausing = this.transport?.playing ?? false;
      this.hearTransport(this.transport);
    } else if (command.do === 'play' || command.do === 'record') this.pausing = false;
  }

  /** Asks the server which body the ray hits now, behind `clip` where it is given. None while there is no connection. */
  pick(ray: Ray, clip?: Plane): Promise<Hit | null> {
    const id = this.nextPick++;
    const { origin, direction } = ray;
    return new Promise((resolve) => {
      this.picks.set(id, resolve);
      const sent = this.connection.send({ do: 'pick', id, origin, direction, ...(clip ? { clip } : {}) });
      if (!sent) this.answerPick(id, null);
    });
  }

  /** Resolves when everything sent before is done and its picture has come; at once while there is no connection. */
  sync(): Promise<void> {
    const id = this.nextSync++;
    return new Promise((resolve) => {
      this.syncs.set(id, resolve);
      if (!this.connection.send({ do: 'sync', id })) this.answerSync(id);
    });
  }

  /** One step of the history. */
  edit(command: SceneCommand): void {
    this.send({ do: 'edit', command });
  }

  /** A drag: previews act on the running stage, the history gets one step at the end. */
  gesture(label: string): Gesture {
    return openGesture(label, (command) => this.send(command));
  }

  undo = (): void => this.send({ do: 'undo' });
  redo = (): void => this.send({ do: 'redo' });
  open = (scene: string): void => this.send({ do: 'open', scene });
  save = (): void => this.send({ do: 'save' });
  saveAs = (file: string): void => this.send({ do: 'save_as', file });
  recover = (keep: boolean): void => this.send({ do: 'recover', keep });

  /** Which values of a body to see, which field of directions besides, what other views show, and whose; none stops. */
  look(body: number, look: LookWord | null, directions: LookWord | null = null, beside: LookWord[] = [], director: string | null = null): void {
    this.send({ do: 'look', body, look, ...(director ? { director } : {}), ...(directions ? { directions } : {}), ...(beside.length > 0 ? { beside } : {}) });
  }

  /** Which cut to see, in the world as it is now, or which layer of the flesh; nothing stops. */
  cut(body: number, by: { plane?: Plane; stroke?: SectionStroke; layer?: number } = {}): void {
    this.cutting = Object.keys(by).length > 0;
    this.send({ do: 'cut', body, ...by });
  }

  export(file: string, format: ExportFormat, options: ExportOptions = {}): void {
    this.send({ do: 'export', file, format, options });
  }

  render(file: string, format: RenderFormat, options: RenderOptions = {}): void {
    this.send({ do: 'render', file, format, options });
  }

  stopJob = (id: number): void => this.send({ do: 'stop_job', id });
  /** Forgets a job that has ended. */
  putAway(id: number): void {
    this.jobs = this.jobs.filter((job) => job.id !== id);
  }

  record = (on: boolean): void => this.send({ do: 'record', on });
  keepTake = (name: string): void => this.send({ do: 'keep_take', name });
  dropTake = (name: string): void => this.send({ do: 'drop_take', name });
  showTake(name: string | null, instead = false): void {
    this.send({ do: 'show_take', name, instead });
  }

  /** Sends a mesh file, to be repaired, meshed and opened as a new scene, or added to this one. The job's number, or none where it was refused. */
  async bring(file: File, as: 'scene' | 'body' | 'obstacle' = 'scene', beside: readonly File[] = []): Promise<number | null> {
    // What belongs to the mesh follows it in the same body, in this order.
    const with_ = beside.map(({ name, size }) => `&with=${size}:${encodeURIComponent(name)}`).join('');
    const address = `/import?name=${encodeURIComponent(file.name)}${with_}${as === 'scene' ? '' : `&as=${as}`}`;
    try {
      const answer = await fetch(address, { method: 'POST', body: beside.length > 0 ? new Blob([file, ...beside]) : file });
      if (answer.ok) {
        const { job } = (await answer.json()) as { job: number };
        this.brought.add(job);
        this.noteAdded(job);
        return job;
      }
      this.refuse((await answer.text()).trim());
    } catch {
      this.refuse(`${file.name} could not be sent.`);
    }
    return null;
  }

  /** What this page brought in is looked at once it is part of the scene. */
  private noteAdded(id: number): void {
    const done = this.jobs.find((job) => job.id === id)?.done;
    if (!done?.added || !this.brought.delete(id)) return;
    this.added = done.added;
  }

  /** Answers whether what is there may be overwritten. */
  answerOverwrite(yes: boolean): void {
    if (yes && this.overwrite) this.send(this.overwrite.again);
    this.overwrite = null;
  }

  private refuse(what: string, help: string | null = null, path: string | null = null): void {
    this.refused = what;
    this.refusal = { what, help, path };
  }

  private setLink(state: LinkState, why?: string): void {
    this.link = state;
    if (state !== 'lost') return;
    if (why) this.refuse(`The server hung up: ${why}.`);
    for (const id of [...this.picks.keys()]) this.answerPick(id, null);
    for (const id of [...this.syncs.keys()]) this.answerSync(id);
  }

  private hear(event: Event): void {
    switch (event.event) {
      case 'welcome':
        if (event.wire_version !== WIRE_VERSION) {
          this.refuse('The server was rebuilt since this page was loaded. Reload the page.');
          return;
        }
        this.refused = null;
        this.refusal = null;
        this.pausing = false;
        this.scene = event.scene;
        this.selected = Math.min(this.selected, event.scene.bodies.length - 1);
        this.history.clear();
        this.askedGaps = '';
        [this.asked, this.timed, this.slowFrames, this.slowMs] = [null, null, 0, 0];
        this.measured.clear();
        for (const tell of this.openers) tell();
        this.screen?.open(event.scene);
        break;
      case 'document':
        // What was refused is over with the next change that was not.
        if (this.document && event.revision > this.document.revision) this.refused = this.refusal = null;
        this.document = event;
        // What is there is of the scene before.
        if (!event.staged) this.scene = null;
        break;
      case 'history':
        event.step_ms.forEach((ms, i) => this.history.fill(event.first + i, ms, event.heights_m[i] ?? []));
        this.historyRevision = this.history.revision;
        break;
      case 'gallery':
        this.gallery = event;
        break;
      case 'job':
        this.jobs = [...this.jobs.filter((job) => job.id !== event.id), event];
        this.noteAdded(event.id);
        break;
      case 'takes':
        this.takes = event;
        if (event.shown === null || event.instead) this.screen?.showTake?.(null);
        break;
      case 'transport':
        this.pausing = this.pausing && event.playing;
        this.hearTransport(event);
        break;
      case 'picked':
        this.answerPick(event.id, event.hit);
        break;
      case 'synced':
        this.answerSync(event.id);
        break;
      case 'exists':
        this.overwrite = { files: event.files, again: event.again };
        break;
      case 'refused':
        this.refuse(event.what, event.help, event.path);
        break;
    }
  }

  /** What a director of a body says now, so that what was measured is known from what it would be now. */
  private textOf(body: number, director: string): string | null {
    const path = this.scene?.bodies[body]?.path;
    return path === undefined ? null : this.directorText(this.document?.scene, path, director);
  }

  private hearTransport(now: Transport | null): void {
    if (!now) return;
    this.transport = this.pausing ? { ...now, playing: false } : now;
    this.history.keep(now.recorded_from, now.recorded_to);
    this.askHistory(now);
    this.measured.note(now, (body, director) => this.textOf(body, director));
  }

  /**
   * What was simulated before this page looked is asked for, once for each beginning that nothing is known of. What a slow page has
   * missed while time ran is asked for when it stands.
   */
  private askHistory({ playing, recorded_from: from, recorded_to: to, stale_from }: Transport): void {
    if (!this.staged || from === to) return;
    const isNew = this.asked !== from && this.history.stepMsAt(from) === undefined;
    const gaps = `${from} ${to} ${stale_from}`;
    const hasGaps = !playing && this.askedGaps !== gaps && this.history.hasGaps(from, to);
    if (!isNew && !hasGaps) return;
    if (isNew) this.asked = from;
    if (hasGaps) this.askedGaps = gaps;
    this.connection.send({ do: 'history' });
  }

  private receive(message: Message): void {
    switch (message.kind) {
      case 'model':
        this.screen?.addModel(message.model);
        this.modelsSeen += 1;
        return;
      case 'field':
        return this.screen?.showField?.(message.field);
      case 'section':
        // One that was on its way when the cut was closed is of no use.
        return this.cutting ? this.screen?.showSection?.(message.section) : undefined;
      case 'take':
        return this.screen?.showTake?.(message.frame);
      case 'frame':
        return this.showFrame(message.frame);
      default:
        this.listeners.get(message.kind)?.forEach((hear) => hear(message));
    }
  }

  private showFrame(frame: Frame): void {
    this.pictured = frame.frame;
    this.stepMs = frame.stepMs;
    this.heightsM = frame.bodies.map((body) => body.origin[1]);
    this.noteSpeed(frame);
    this.history.note(frame.frame, frame.stepMs, this.heightsM);
    this.historyRevision = this.history.revision;
    this.screen?.show(frame);
    // The server sends the next picture when one is drawn, so that none wait on the way.
    const seen = (): void => void this.connection.send({ do: 'seen' });
    if (this.screen?.afterDraw) this.screen.afterDraw(seen);
    else seen();
  }

  /** Counts frames that took long; one that did not is enough to say no more of it. */
  private noteSpeed({ frame, stepMs }: Frame): void {
    if (frame === this.timed || stepMs === 0) return;
    this.timed = frame;
    const frameMs = stepMs * (this.scene?.substeps ?? 1);
    this.slowFrames = frameMs > SLOW_MS ? this.slowFrames + 1 : 0;
    this.slowMs = this.slowFrames >= SLOW_FRAMES ? frameMs : 0;
  }

  private answerSync(id: number): void {
    this.syncs.get(id)?.();
    this.syncs.delete(id);
  }

  private answerPick(id: number, hit: Hit | null): void {
    this.picks.get(id)?.(hit);
    this.picks.delete(id);
  }
}

/** The live connection of the server this page came from. */
export function openLive(): Socket {
  return new WebSocket(`ws://${location.host}/live`) as unknown as Socket;
}
